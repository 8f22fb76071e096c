"""Run every benchmark, one after the other."""

from benchmarks import (
    calls,
    corpus,
    memory,
    method_figures,
    neighbors,
    report,
    rerun,
    sense_pairs,
    senses,
    start,
)

if __name__ == "__main__":
    for benchmark in (start, rerun, calls, neighbors, senses, memory, method_figures):
        benchmark.main()
    sense_pairs.main([])
    corpus.main([])
    report.end()
