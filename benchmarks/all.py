"""Run every benchmark, one after the other."""

from benchmarks import memory, neighbors, paint, start

if __name__ == "__main__":
    for benchmark in (start, paint, neighbors, memory):
        benchmark.main()
