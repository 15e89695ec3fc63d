"""JAX: a jitted training step with donated buffers. Variants: jit (one step per call), scan (several steps per call)."""
import os

import contestant


def make(case, variant, threads):
    os.environ["JAX_PLATFORMS"] = "cpu"
    if threads == 1:
        os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false"
    import jax
    import jax.numpy as jnp
    import numpy as np
    from jax import lax

    rows = contestant.Rows(case)
    name, batch, rate = case["model"], case["batch"], case["rate"]
    file = np.load(case["weights"])
    trained = {k: jnp.asarray(file[k]) for k in file.files if "moving" not in k}
    moving = {k: jnp.asarray(file[k]) for k in file.files if "moving" in k}

    def conv(x, kernel, stride=1, padding="SAME", groups=1):
        return lax.conv_general_dilated(x, kernel, (stride, stride), padding, dimension_numbers=("NHWC", "HWIO", "NHWC"),
                                        feature_group_count=groups)

    def pool(x):
        return lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")

    def dense(p, layer, x):
        return x @ p[layer + "/kernel"] + p[layer + "/bias"]

    def small(p, x):
        if name == "mlp":
            return dense(p, "logits", jax.nn.relu(dense(p, "hidden", x))), {}
        first = "SAME" if name == "lenet5" else "VALID"
        x = pool(jax.nn.relu(conv(x, p["conv1/kernel"], 1, first) + p["conv1/bias"]))
        x = pool(jax.nn.relu(conv(x, p["conv2/kernel"], 1, "VALID") + p["conv2/bias"])).reshape(batch, -1)
        for layer in ("fc1", "fc2") if name == "lenet5" else ():
            x = jax.nn.relu(dense(p, layer, x))
        return dense(p, "logits", x), {}

    def normalise(p, layer, x, found):
        mean = x.mean((0, 1, 2))
        variance = jnp.square(x - mean).mean((0, 1, 2))
        found[layer + "/moving_mean"], found[layer + "/moving_variance"] = mean, variance
        return (x - mean) * (lax.rsqrt(variance + 1e-3) * p[layer + "/gamma"]) + p[layer + "/beta"]

    def resnet20(p, x):
        found = {}
        x = jax.nn.relu(normalise(p, "stem_bn", conv(x, p["stem_conv/kernel"]), found))
        for stage in (1, 2, 3):
            for block in (1, 2, 3):
                at, stride = f"s{stage}b{block}_", 2 if stage > 1 and block == 1 else 1
                y = jax.nn.relu(normalise(p, at + "bn1", conv(x, p[at + "conv1/kernel"], stride), found))
                y = normalise(p, at + "bn2", conv(y, p[at + "conv2/kernel"]), found)
                if stride == 2:
                    x = normalise(p, at + "projbn", conv(x, p[at + "proj/kernel"], stride), found)
                x = jax.nn.relu(x + y)
        return dense(p, "logits", x.mean((1, 2))), found

    def mobilenet(p, x):
        from models import MOBILENET
        found = {}
        x = jax.nn.relu(normalise(p, "stem_bn", conv(x, p["stem/kernel"]), found))
        for i, (_, stride) in enumerate(MOBILENET):
            kernel = p[f"b{i}_dw/kernel"]
            x = conv(x, kernel.transpose(0, 1, 3, 2), stride, "SAME", kernel.shape[2])
            x = jax.nn.relu(normalise(p, f"b{i}_dw_bn", x, found))
            x = jax.nn.relu(normalise(p, f"b{i}_pw_bn", conv(x, p[f"b{i}_pw/kernel"]), found))
        return dense(p, "logits", x.mean((1, 2))), found

    forward = {"resnet20": resnet20, "mobilenet": mobilenet}.get(name, small)

    def loss_of(p, x, y):
        logits, found = forward(p, x)
        return -jnp.take_along_axis(jax.nn.log_softmax(logits), y[:, None], 1).mean(), found

    # Keras' Adam.
    def step(state, x, y):
        p, m, v, t, average = state
        (loss, found), g = jax.value_and_grad(loss_of, has_aux=True)(p, x, y)
        t = t + 1
        alpha = rate * jnp.sqrt(1 - 0.999 ** t) / (1 - 0.9 ** t)
        m = jax.tree.map(lambda a, b: a + (b - a) * 0.1, m, g)
        v = jax.tree.map(lambda a, b: a + (b * b - a) * 0.001, v, g)
        p = jax.tree.map(lambda a, b, c: a - alpha * b / (jnp.sqrt(c) + 1e-7), p, m, v)
        average = {k: 0.99 * average[k] + 0.01 * found[k] for k in average}
        return (p, m, v, t, average), loss

    zeros = lambda: jax.tree.map(jnp.zeros_like, trained)
    held = {"state": (trained, zeros(), zeros(), jnp.zeros(()), moving)}
    one = jax.jit(step, donate_argnums=0)

    def advance():
        at = rows.next()
        held["state"], loss = one(held["state"], rows.x[at], rows.y[at])
        return float(loss)

    def first_losses(count):
        return [advance() for _ in range(count)]

    per_call = 1
    call = advance
    if variant == "scan":
        per_call = 50 if name in ("mlp", "lenet5", "cnn") else 5
        x, y = jnp.asarray(rows.x), jnp.asarray(rows.y)
        many = jax.jit(lambda s, order: lax.scan(lambda c, at: step(c, x[at], y[at]), s, order), donate_argnums=0)

        def call():
            held["state"], losses = many(held["state"], rows.next(per_call).reshape(per_call, batch))
            return float(losses[-1])

    warm = {"yet": False}

    def run(seconds):
        if not warm["yet"]:
            call()
            call()
            warm["yet"] = True
        return contestant.timed(call, per_call, seconds)

    return first_losses, run, {"jax": jax.__version__}


contestant.main(make)
