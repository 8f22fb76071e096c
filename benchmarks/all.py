"""Run every benchmark that `make bench` runs, one after the other."""

from importlib import import_module

from benchmarks import corpus, report, sense_pairs

if __name__ == "__main__":
    for name in ("start", "rerun", "calls", "neighbors", "senses", "memory", "method_figures"):
        import_module(f"benchmarks.{name}").main()
    sense_pairs.main([])
    corpus.main([])
    report.end()
