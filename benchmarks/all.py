"""Run every benchmark, one after the other."""

from benchmarks import memory, neighbors, paint, senses, start

if __name__ == "__main__":
    for benchmark in (start, paint, neighbors, senses, memory):
        benchmark.main()
