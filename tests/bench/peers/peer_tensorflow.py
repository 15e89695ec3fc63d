"""TensorFlow as fast as it goes: several steps per call of a tf.function.

Variants: mem (rows in memory, gathered by index), ds (tf.data, cached and prefetched), each also with _jit (XLA); spe (Keras' fit with
steps_per_execution)."""
import os
import sys
import time

import contestant


def make(case, variant, threads):
    import numpy as np
    import tensorflow as tf
    tf.config.threading.set_intra_op_parallelism_threads(threads)
    tf.config.threading.set_inter_op_parallelism_threads(1)
    import keras

    rows = contestant.Rows(case)
    batch, small = case["batch"], case["model"] in ("mlp", "lenet5", "cnn")
    per_call = 50 if small else 5
    net = keras.saving.load_model(case["keras"], compile=False)
    optimizer = keras.optimizers.Adam(case["rate"])
    optimizer.build(net.trainable_variables)
    loss_of = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    jit = variant.endswith("_jit")
    versions = {"keras": keras.__version__, "tensorflow": tf.__version__}

    def step(x, y):
        with tf.GradientTape() as tape:
            loss = loss_of(y, net(x, training=True))
        variables = net.trainable_variables
        optimizer.apply(tape.gradient(loss, [v.value for v in variables]), variables)
        return loss

    one = tf.function(step, jit_compile=jit)

    def first_losses(count):
        losses = []
        for _ in range(count):
            at = rows.next()
            losses.append(float(one(tf.constant(rows.x[at]), tf.constant(rows.y[at]))))
        return losses

    if variant == "spe":
        net.compile(optimizer=optimizer, loss=loss_of, steps_per_execution=per_call)
        order = np.resize(rows.order, max(len(rows.order), 400 * batch) // (batch * per_call) * batch * per_call)
        data = tf.data.Dataset.from_tensor_slices((rows.x[order], rows.y[order])).cache().batch(batch, drop_remainder=True).repeat().prefetch(4)
        sys.stdout = open(os.devnull, "w")
        state = {"step": None}

        def steps_of(count):
            before = time.perf_counter()
            net.fit(data, steps_per_epoch=count, epochs=1, verbose=0)
            return time.perf_counter() - before

        def run(seconds):
            if state["step"] is None:
                steps_of(2 * per_call)
                state["step"] = steps_of(2 * per_call) / (2 * per_call)
            count = max(2, int(seconds / state["step"] / per_call)) * per_call
            taken = steps_of(count)
            state["step"] = taken / count
            return {"steps": count, "seconds": taken, "step_seconds": [taken / count] * 3}

        return first_losses, run, versions

    if variant.startswith("mem"):
        x, y = tf.constant(rows.x), tf.constant(rows.y)

        @tf.function(jit_compile=jit)
        def many(order):
            loss = tf.zeros(())
            for i in tf.range(per_call):
                loss = step(tf.gather(x, order[i]), tf.gather(y, order[i]))
            return loss

        def call():
            many(tf.constant(rows.next(per_call).reshape(per_call, batch))).numpy()
    else:
        data = tf.data.Dataset.from_tensor_slices((rows.x[rows.order], rows.y[rows.order])).cache().batch(batch).repeat().prefetch(4)
        iterator = iter(data)
        inner = tf.function(step, jit_compile=True) if jit else step

        @tf.function
        def many(iterator):
            loss = tf.zeros(())
            for _ in tf.range(per_call):
                x, y = next(iterator)
                loss = inner(x, y)
            return loss

        def call():
            many(iterator).numpy()

    state = {"warm": False}

    def run(seconds):
        if not state["warm"]:
            call()
            call()
            state["warm"] = True
        return contestant.timed(call, per_call, seconds)

    return first_losses, run, versions


contestant.main(make)
