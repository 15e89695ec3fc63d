"""Records a curve of real Keras in the format of resources/docs/formats/curve.md. Runs in the environment of Keras.

usage: curve.py run KIND FILE.keras MODEL BATCH RATE OUT.json   KIND = float64, float32, plain (float32 by Eigen on one thread)
       curve.py merge MODEL BATCH RATE FILE.keras RUN64 RUN32 RUNPLAIN OUT.json

The tolerance of a step is ten times the worst distance of the two float32 runs from the float64 run so far, rounded up to 1, 2 or 5.
"""
import json
import math
import os
import pathlib
import sys

STEPS = 20
SAMPLES = 8
LEAST = 5e-7


def run(kind, file, model, batch, rate, out):
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
    os.environ["CUDA_VISIBLE_DEVICES"] = "-1"
    if kind == "plain":
        os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"
    import keras
    import numpy as np
    import tensorflow as tf

    import rows
    if kind == "plain":
        tf.config.threading.set_intra_op_parallelism_threads(1)
        tf.config.threading.set_inter_op_parallelism_threads(1)
    float_type = "float64" if kind == "float64" else "float32"
    given = keras.saving.load_model(file, compile=False)
    start = given.get_weights()
    keras.config.set_floatx(float_type)
    config = json.loads(json.dumps(given.get_config()).replace('"float32"', f'"{float_type}"'))
    net = type(given).from_config(config)
    net.set_weights([w.astype(float_type) for w in start])
    optimizer = keras.optimizers.Adam(float(rate))
    optimizer.build(net.trainable_variables)
    loss_of = keras.losses.SparseCategoricalCrossentropy(from_logits=True)

    @tf.function
    def step(x, y):
        with tf.GradientTape() as tape:
            loss = loss_of(y, net(x, training=True))
        gradients = tape.gradient(loss, [v.value for v in net.trainable_variables])
        optimizer.apply(gradients, net.trainable_variables)
        return loss, tf.sqrt(tf.add_n([tf.reduce_sum(tf.square(g)) for g in gradients]))

    batch = int(batch)
    x, y, order = rows.rows_of(model, batch, float_type)
    losses, norms = [], []
    for i in range(STEPS):
        at = order[i * batch:(i + 1) * batch]
        loss, norm = step(tf.constant(x[at]), tf.constant(y[at]))
        losses.append(float(loss))
        norms.append(float(norm))
    weights = []
    for layer in net.layers:
        for variable in layer.weights:
            value = variable.numpy().astype(np.float64)
            flat = value.reshape(-1)
            count = min(SAMPLES, flat.size)
            at = [i * flat.size // count for i in range(count)]
            weights.append({"path": f"{layer.name}/{variable.name}", "shape": list(value.shape), "l2": float(np.sqrt((flat * flat).sum())),
                            "at": at, "values": [float(flat[i]) for i in at]})
    pathlib.Path(out).write_text(json.dumps({"losses": losses, "norms": norms, "weights": weights, "keras": keras.__version__,
                                             "tensorflow": tf.__version__}))


def rounded_up(value):
    value = max(10 * value, LEAST)
    power = 10 ** math.floor(math.log10(value))
    return next(step * power for step in (1, 2, 5, 10) if step * power >= value * (1 - 1e-9))


def distance(a, b):
    return max(abs(p - q) / max(abs(q), 1e-30) for p, q in zip(a, b))


def weights_distance(run_weights, exact):
    squares = length = 0.0
    for mine, right in zip(run_weights, exact):
        size = math.prod(right["shape"])
        squares += sum((p - q) ** 2 for p, q in zip(mine["values"], right["values"])) / len(right["values"]) * size
        length += right["l2"] ** 2
    return math.sqrt(squares / length)


def merge(model, batch, rate, file, exact, *others_and_out):
    *others, out = others_and_out
    exact, others = json.loads(pathlib.Path(exact).read_text()), [json.loads(pathlib.Path(o).read_text()) for o in others]
    worst, tolerances = 0.0, []
    for i, loss in enumerate(exact["losses"]):
        worst = max([worst] + [abs(o["losses"][i] - loss) / abs(loss) for o in others])
        tolerances.append(rounded_up(worst))
    curve = {
        "model": model, "initial_weights": pathlib.Path(file).name,
        "made_with": {"tensorflow": exact["tensorflow"], "keras": exact["keras"]},
        "optimizer": {"class": "Adam", "args": {"learning_rate": float(rate)}},
        "loss": {"class": "SparseCategoricalCrossentropy", "from_logits": True}, "regularizer": None, "dtype_policy": "float32",
        "data": {"batch": int(batch), "steps": STEPS},
        "loss_per_step": others[0]["losses"], "loss_per_step_f64": exact["losses"],
        "grad_global_norm": others[0]["norms"], "grad_global_norm_f64": exact["norms"],
        "tolerance": {"loss_rel_per_step": tolerances, "grad_norm_rel": rounded_up(max(distance(o["norms"], exact["norms"]) for o in others)),
                      "weights_rel_l2": rounded_up(max(weights_distance(o["weights"], exact["weights"]) for o in others))},
        "final_weights": [{"path": w["path"], "shape": w["shape"], "l2": w["l2"], "at": w["at"], "values": w["values"],
                           "values_f64": w["values"]} for w in exact["weights"]],
    }
    pathlib.Path(out).write_text(json.dumps(curve, indent=1))


if __name__ == "__main__":
    {"run": run, "merge": merge}[sys.argv[1]](*sys.argv[2:])
