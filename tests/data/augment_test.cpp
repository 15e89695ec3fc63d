#include "data_files.h"

#include <support/scratch.h>
#include <support/test.h>

#include <data/feed.h>

#include <map>
#include <set>

using namespace lockstep;
using namespace lockstep::data;

namespace {

using Shape = std::vector<std::int64_t>;

std::vector<std::uint8_t> counted(std::size_t count) {
    std::vector<std::uint8_t> values(count);
    for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<std::uint8_t>(i + 1);
    return values;
}

// What movePicture must give, pixel by pixel.
std::vector<std::uint8_t> movedSlowly(const std::vector<std::uint8_t>& from, const Shape& shape, const PictureMove& move) {
    std::vector<std::uint8_t> made(from.size(), 0);
    for (int row = 0; row < shape[0]; ++row)
        for (int column = 0; column < shape[1]; ++column)
            for (int c = 0; c < shape[2]; ++c) {
                const int fromRow = row - move.down;
                const int fromColumn = (move.flip ? static_cast<int>(shape[1]) - 1 - column : column) - move.right;
                if (fromRow < 0 || fromRow >= shape[0] || fromColumn < 0 || fromColumn >= shape[1]) continue;
                made[(row * shape[1] + column) * shape[2] + c] = from[(fromRow * shape[1] + fromColumn) * shape[2] + c];
            }
    return made;
}

LoadOptions syntheticOptions() {
    LoadOptions options;
    options.dataset = "synthetic";
    options.shape = {6, 5, 3};
    options.syntheticRows = 23;
    return options;
}

}  // namespace

class AugmentTest : public QObject {
    Q_OBJECT
private slots:
    void everyMove() {
        for (const Shape& shape : {Shape{3, 4, 1}, Shape{3, 4, 3}, Shape{4, 2, 5}}) {
            const auto picture = counted(static_cast<std::size_t>(shape[0] * shape[1] * shape[2]));
            std::vector<std::uint8_t> made(picture.size(), 99);
            for (int down = -2; down <= 2; ++down)
                for (int right = -2; right <= 2; ++right)
                    for (const bool flip : {false, true}) {
                        const PictureMove move{down, right, flip};
                        movePicture(picture.data(), shape, move, made.data());
                        QVERIFY(made == movedSlowly(picture, shape, move));
                    }
        }
    }
    // Every place and both sides come, about equally often, and differ between epochs, rows and seeds.
    void movesAreUniform() {
        const Augmentation augment{2, true};
        std::map<int, int> down, right;
        int flips = 0;
        for (std::uint32_t row = 0; row < 20000; ++row) {
            const PictureMove move = moveOf(augment, 7, 3, row);
            ++down[move.down];
            ++right[move.right];
            flips += move.flip ? 1 : 0;
        }
        QCOMPARE(down.size(), std::size_t(5));
        for (const auto* counts : {&down, &right})
            for (const auto& [place, count] : *counts) QVERIFY(std::abs(place) <= 2 && std::abs(count - 4000) < 300);
        QVERIFY(std::abs(flips - 10000) < 400);
        int same = 0;
        for (std::uint32_t row = 0; row < 1000; ++row) {
            same += moveOf(augment, 7, 3, row) == moveOf(augment, 7, 4, row) ? 1 : 0;
            same += moveOf(augment, 7, 3, row) == moveOf(augment, 8, 3, row) ? 1 : 0;
        }
        QVERIFY(same < 100);  // 40 by chance
        QVERIFY(!moveOf({1, false}, 1, 0, 0).flip);
        QVERIFY((moveOf({0, false}, 1, 0, 0) == PictureMove{}));
    }
    void normalised() {
        Dataset dataset = *loadDataset(syntheticOptions());
        const RowTransform transform{{}, {{0.5f, 0.25f, 0.0f}, {2.0f}}, 1};
        VERIFY_OK(checkTransform(dataset.train.featureShape, dataset.train.element, transform));
        RowWriter writer(dataset.train, Real::F32, transform), wide(dataset.train, Real::F64, transform);
        std::vector<float> x(90);
        std::vector<double> doubles(90);
        std::int32_t label = -1;
        writer.write(4, reinterpret_cast<std::byte*>(x.data()), &label, 0);
        wide.write(4, reinterpret_cast<std::byte*>(doubles.data()), &label, 0);
        QCOMPARE(label, dataset.train.labels[4]);
        const float mean[] = {0.5f, 0.25f, 0.0f};
        for (std::size_t i = 0; i < 90; ++i) {
            QCOMPARE(x[i], (static_cast<float>(test::byteAt(dataset.train, 4 * 90 + i)) / 255.0f - mean[i % 3]) / 2.0f);
            QCOMPARE(doubles[i], static_cast<double>(x[i]));
        }
    }
    void numbersAndTargets() {
        test::Scratch scratch;
        test::writeBytes(scratch / "x.npy", test::npyBytes("<f4", "(2, 2)", test::bytesOf(std::vector<float>{1, 2, 300, 4})));
        test::writeBytes(scratch / "y.npy", test::npyBytes("<f4", "(2, 3)", test::bytesOf(std::vector<float>{1, 2, 3, 4, 5, 6.5f})));
        auto options = test::loadOptions("npy", scratch.path(), scratch / "cache");
        options.target = Target::Values;
        const auto dataset = loadDataset(options);
        VERIFY_OK(dataset);
        FeedOptions feedOptions;
        feedOptions.split = dataset->train;
        feedOptions.schedule = Schedule(2, 2, 1);
        feedOptions.shuffle = false;
        feedOptions.real = Real::F64;
        Feed feed(feedOptions);
        const auto input = feed.next(Deadline::in(Seconds(30)));
        VERIFY_OK(input);
        const auto* x = reinterpret_cast<const double*>((*input)->x);
        const auto* targets = reinterpret_cast<const double*>((*input)->targets);
        QCOMPARE(x[2], 300.0);
        QCOMPARE(targets[5], 6.5);
    }
    // The same pictures for one rank and for three, in steps of 4 and of 7 rows, and after a resume.
    void picturesFollowTheRow() {
        const Dataset dataset = *loadDataset(syntheticOptions());
        const auto whole = seen(dataset, {4, {1}, 1});
        QCOMPARE(whole.size(), std::size_t(2 * 23));
        std::set<std::string> different;
        for (const auto& [key, picture] : whole) different.insert(picture);
        QVERIFY(different.size() > 40);
        QVERIFY(seen(dataset, {7, {1}, 1}) == whole);
        QVERIFY(seen(dataset, {4, {1, 1, 1}, 1}) == whole);
        const auto later = seen(dataset, {4, {2, 1}, 8});
        QVERIFY(!later.empty() && std::ranges::all_of(later, [&](const auto& one) { return whole.at(one.first) == one.second; }));
    }
    void misfits() {
        const auto code = [](const Shape& shape, Element element, const RowTransform& transform) {
            const auto done = checkTransform(shape, element, transform);
            return done.ok() ? std::string() : done.error().code;
        };
        QCOMPARE(code({8, 8, 3}, Element::U8, {{8, true}, {}, 1}), std::string());
        QCOMPARE(code({8, 8, 3}, Element::U8, {{9, true}, {}, 1}), std::string("F626"));
        QCOMPARE(code({64}, Element::U8, {{1, false}, {}, 1}), std::string("F626"));
        QCOMPARE(code({8, 8, 3}, Element::F32, {{0, true}, {}, 1}), std::string("F626"));
        QCOMPARE(code({64}, Element::F32, {{}, {{1}, {2}}, 1}), std::string());
        QCOMPARE(code({8, 8, 3}, Element::U8, {{}, {{1, 2}, {}}, 1}), std::string("F626"));
        QCOMPARE(code({8, 8, 3}, Element::U8, {{}, {{}, {1, 0, 1}}, 1}), std::string("F626"));
        QCOMPARE(code({8, 8, 3}, Element::U8, {{}, {{NAN}, {}}, 1}), std::string("F626"));
    }

private:
    struct Way {
        std::int64_t batch = 4;
        std::vector<int> slices;  // of each rank
        std::uint64_t firstStep = 1;
    };
    // By (epoch, row): the picture as the model gets it. The row of a place is that of a feed without augmentation.
    static std::map<std::pair<int, std::string>, std::string> seen(const Dataset& dataset, const Way& way) {
        std::map<std::pair<int, std::string>, std::string> pictures;
        const int total = std::accumulate(way.slices.begin(), way.slices.end(), 0);
        int first = 0;
        for (const int count : way.slices) {
            FeedOptions options;
            options.split = dataset.train;
            options.schedule = Schedule(dataset.train.rows, way.batch, 2);
            options.share = {total, first, count};
            options.seed = 5;
            options.firstStep = way.firstStep;
            first += count;
            Feed plain(options);
            options.transform = {{2, true}, {}, 11};
            Feed changed(options);
            for (;;) {
                const auto a = plain.next(Deadline::in(Seconds(30))), b = changed.next(Deadline::in(Seconds(30)));
                if (!a.ok() || !b.ok() || *a == nullptr) break;
                for (std::int64_t i = 0; i < (*a)->ownRows; ++i) pictures[{(*a)->rows.epoch, rowAt((*a)->x, i)}] = rowAt((*b)->x, i);
            }
        }
        return pictures;
    }
    static std::string rowAt(const std::byte* x, std::int64_t place) { return {reinterpret_cast<const char*>(x) + place * 90 * 4, 90 * 4}; }
};

LOCKSTEP_TEST(AugmentTest)
#include "augment_test.moc"
