"""Run every benchmark, one after the other."""

from benchmarks import (
    calibration,
    calls,
    corpus,
    memory,
    method_figures,
    neighbors,
    paint,
    pictures,
    rerun,
    sense_pairs,
    senses,
    start,
    token_map,
)

if __name__ == "__main__":
    for benchmark in (
        start,
        paint,
        token_map,
        rerun,
        calls,
        pictures,
        neighbors,
        calibration,
        senses,
        memory,
        method_figures,
    ):
        benchmark.main()
    sense_pairs.main([])
    corpus.main([])
