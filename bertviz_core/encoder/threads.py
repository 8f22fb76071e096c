"""Threads in which the model gives the same bits, however many there are."""

from concurrent.futures import ThreadPoolExecutor


def one_thread_each(count: int | None = None) -> ThreadPoolExecutor:
    """Make threads in each of which torch uses no other.

    What torch computes differs in the last bits with the number of its threads: of the embedded
    model, vectors computed by one thread and by two differ by about 1e-6. Several batches side by
    side, of one thread each, always give the same, and wait less for one another.

    Args:
        count: How many; None for as many threads as torch would take: what `OMP_NUM_THREADS`
            says, or the number of cores.

    Returns:
        Threads that begin when there is work. Other threads that use torch already keep theirs.

    References:
        https://docs.pytorch.org/docs/2.13/notes/numerical_accuracy.html: results are not
        guaranteed to be bitwise identical.
    """
    import torch

    return ThreadPoolExecutor(
        count or torch.get_num_threads(),
        thread_name_prefix="model",
        initializer=torch.set_num_threads,  # of the thread that calls it
        initargs=(1,),
    )
