"""PyTorch. Variants: eager, channels_last, compile (torch.compile, channels last where there are pictures)."""
import math

import contestant


def make(case, variant, threads):
    import numpy as np
    import torch
    import torch.nn.functional as F
    from torch import nn
    torch.set_num_threads(threads)

    rows = contestant.Rows(case)
    name, batch, rate = case["model"], case["batch"], case["rate"]
    file = np.load(case["weights"])

    def kernel(path, depthwise=False):
        value = file[path]
        return torch.from_numpy(np.ascontiguousarray(value.transpose(2, 3, 0, 1) if depthwise else value.transpose(3, 2, 0, 1)))

    class Same(nn.Conv2d):
        """Keras' padding "same": where the stride is 2, one more behind than in front."""

        def forward(self, x):
            size, stride = self.kernel_size[0], self.stride[0]
            if stride == 1:
                return F.conv2d(x, self.weight, self.bias, 1, size // 2, 1, self.groups)
            if size > 1:
                x = F.pad(x, (0, 1, 0, 1))
            return F.conv2d(x, self.weight, self.bias, stride, 0, 1, self.groups)

    def convolution(path, stride=1, kind=Same, depthwise=False, bias=False):
        weight = kernel(path + "/kernel", depthwise)
        layer = kind(weight.shape[1] if not depthwise else weight.shape[0], weight.shape[0], weight.shape[2], stride,
                     groups=weight.shape[0] if depthwise else 1, bias=bias)
        layer.weight.data = weight
        if bias:
            layer.bias.data = torch.from_numpy(file[path + "/bias"])
        return layer

    def normalisation(path):
        layer = nn.BatchNorm2d(len(file[path + "/gamma"]), eps=1e-3, momentum=0.01)
        layer.weight.data, layer.bias.data = torch.from_numpy(file[path + "/gamma"]), torch.from_numpy(file[path + "/beta"])
        return layer

    def dense(path, picture=None):
        """picture: (height, width, channels) of what was flattened; the features come channels first here."""
        weight = file[path + "/kernel"]
        if picture is not None:
            weight = weight.reshape(*picture, -1).transpose(2, 0, 1, 3).reshape(weight.shape)
        layer = nn.Linear(*weight.shape)
        layer.weight.data, layer.bias.data = torch.from_numpy(np.ascontiguousarray(weight.T)), torch.from_numpy(file[path + "/bias"])
        return layer

    class Block(nn.Module):
        def __init__(self, at, stride):
            super().__init__()
            self.body = nn.Sequential(convolution(at + "conv1", stride), normalisation(at + "bn1"), nn.ReLU(inplace=True),
                                      convolution(at + "conv2"), normalisation(at + "bn2"))
            self.way = nn.Identity() if stride == 1 else nn.Sequential(convolution(at + "proj", 2), normalisation(at + "projbn"))

        def forward(self, x):
            return F.relu(self.body(x) + self.way(x))

    def build():
        plain = nn.Conv2d
        if name == "mlp":
            return nn.Sequential(dense("hidden"), nn.ReLU(), dense("logits"))
        if name in ("cnn", "lenet5"):
            first = convolution("conv1", kind=Same if name == "lenet5" else plain, bias=True)
            layers = [first, nn.ReLU(), nn.MaxPool2d(2), convolution("conv2", kind=plain, bias=True), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten()]
            if name == "cnn":
                return nn.Sequential(*layers, dense("logits", (5, 5, 64)))
            return nn.Sequential(*layers, dense("fc1", (5, 5, 16)), nn.ReLU(), dense("fc2"), nn.ReLU(), dense("logits"))
        if name == "resnet20":
            layers = [convolution("stem_conv"), normalisation("stem_bn"), nn.ReLU(inplace=True)]
            for stage in (1, 2, 3):
                for block in (1, 2, 3):
                    layers.append(Block(f"s{stage}b{block}_", 2 if stage > 1 and block == 1 else 1))
        else:
            from models import MOBILENET
            layers = [convolution("stem"), normalisation("stem_bn"), nn.ReLU(inplace=True)]
            for i, (_, stride) in enumerate(MOBILENET):
                layers += [convolution(f"b{i}_dw", stride, depthwise=True), normalisation(f"b{i}_dw_bn"), nn.ReLU(inplace=True),
                           convolution(f"b{i}_pw"), normalisation(f"b{i}_pw_bn"), nn.ReLU(inplace=True)]
        return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), dense("logits"))

    x, y = torch.from_numpy(rows.x), torch.from_numpy(rows.y.astype("int64"))
    net = build()
    if x.ndim == 4:
        x = x.permute(0, 3, 1, 2)
        x = x.contiguous() if variant == "eager" else x  # NHWC in memory is channels last
        if variant != "eager":
            net = net.to(memory_format=torch.channels_last)
    forward = torch.compile(net) if variant == "compile" else net
    optimizer = torch.optim.Adam(net.parameters(), lr=rate, eps=1e-7, fused=True)
    order = torch.from_numpy(rows.order.astype("int64"))
    state = {"at": 0, "step": 0}

    def advance():
        if state["at"] + batch > len(order):
            state["at"] = 0
        at = order[state["at"]:state["at"] + batch]
        state["at"] += batch
        state["step"] += 1
        # Keras adds epsilon before the bias correction.
        optimizer.param_groups[0]["eps"] = 1e-7 / math.sqrt(1 - 0.999 ** state["step"])
        optimizer.zero_grad(set_to_none=True)
        loss = F.cross_entropy(forward(x[at]), y[at])
        loss.backward()
        optimizer.step()
        return loss.item()

    def first_losses(count):
        return [advance() for _ in range(count)]

    return first_losses, lambda seconds: contestant.timed(advance, 1, seconds), {"torch": torch.__version__}


contestant.main(make)
