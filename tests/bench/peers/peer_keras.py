"""Keras' own fit, with defaults: NumPy arrays, loss and accuracy, the progress bar drawn into nothing."""
import os
import sys
import time

import contestant


def make(case, variant, threads):
    import numpy as np
    import tensorflow as tf
    if threads == 1:
        tf.config.threading.set_intra_op_parallelism_threads(1)
        tf.config.threading.set_inter_op_parallelism_threads(1)
    import keras

    rows = contestant.Rows(case)
    net = keras.saving.load_model(case["keras"], compile=False)
    net.compile(optimizer=keras.optimizers.Adam(case["rate"]), loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
                metrics=["accuracy"])
    batch = case["batch"]
    sys.stdout = open(os.devnull, "w")

    def first_losses(count):
        losses = []
        for _ in range(count):
            at = rows.next()
            losses.append(float(net.fit(rows.x[at], rows.y[at], batch_size=batch, shuffle=False).history["loss"][0]))
        return losses

    order = np.resize(rows.order, max(len(rows.order), 400 * batch) // batch * batch)
    x, y = rows.x[order], rows.y[order]

    class Epochs(keras.callbacks.Callback):
        """Whole epochs only, so that fit's own path stays as it is."""

        def on_epoch_begin(self, epoch, logs=None):
            self.begin = time.perf_counter()

        def on_epoch_end(self, epoch, logs=None):
            self.seconds = time.perf_counter() - self.begin

    state = {"step": None}

    def epoch(steps):
        watch = Epochs()
        net.fit(x[:steps * batch], y[:steps * batch], batch_size=batch, shuffle=False, callbacks=[watch])
        return watch.seconds

    def run(seconds):
        most = len(x) // batch
        if state["step"] is None:
            epoch(min(most, 20))
            state["step"] = epoch(min(most, 20)) / min(most, 20)
        steps = max(5, min(most, int(seconds / state["step"])))
        times, whole = [], 0.0
        while whole < 0.9 * seconds or not times:
            taken = epoch(steps)
            times.append(taken / steps)
            whole += taken
        state["step"] = min(times)
        return {"steps": steps * len(times), "seconds": whole, "step_seconds": contestant.quantiles(times)}

    return first_losses, run, {"keras": keras.__version__, "tensorflow": tf.__version__}


contestant.main(make)
