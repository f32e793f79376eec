#include "tendril/io/vtp_file.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string>

#include "support/temporary_folder.hpp"
#include "tendril/io/atomic_file.hpp"

namespace tendril {
namespace {

std::string text_of(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Two strands of 2 and 3 vertices in two frames.
CurveSequence small_sequence() {
  CurveSequence sequence;
  sequence.groom.curves.offsets = {0, 2, 5};
  sequence.groom.curves.points.resize(5);
  sequence.groom.radius = {0.5, 1, 1.5, 2, 2.5};
  sequence.groom.attributes = {{"a<&>\"b", true, 1, {5, 6, 7, 8, 9}}, {"weights", false, 2, {1, 2, 3, 4}}};
  sequence.sets = {{"all", 2}};
  sequence.frames = {4, 6};
  sequence.fetch = [](std::size_t i) -> Result<CurveFrame> {
    CurveFrame frame{i == 0 ? 4 : 6, 0.25 + double(i), {}, {}};
    for (int n = 0; n < 15; ++n)
      frame.positions.push_back(float(n) + 100.0f * float(i)), frame.velocities.push_back(-float(n));
    return frame;
  };
  return sequence;
}

// What stands in quotes behind `key` in an XML element.
std::string quoted_after(const std::string& element, const std::string& key) {
  const std::size_t at = element.find(" " + key + "=\"");
  if (at == std::string::npos) return "";
  const std::size_t begin = at + key.size() + 3;
  return element.substr(begin, element.find('"', begin) - begin);
}

// The DataArray of that name.
std::string element(const std::string& file, const std::string& name) {
  const std::size_t at = file.find("Name=\"" + name + "\"");
  if (at == std::string::npos) return ADD_FAILURE() << name << " is missing", "";
  const std::size_t begin = file.rfind('<', at);
  return file.substr(begin, file.find('>', at) - begin);
}

// Its numbers: behind the underscore, at its offset, after their size in bytes.
template <class T>
std::vector<T> numbers(const std::string& file, const std::string& name) {
  const std::string mark = "<AppendedData encoding=\"raw\">\n_";
  const std::size_t base = file.find(mark) + mark.size() + std::stoul(quoted_after(element(file, name), "offset"));
  std::uint64_t size = 0;
  std::memcpy(&size, file.data() + base, 8);
  std::vector<T> out(size / sizeof(T));
  std::memcpy(out.data(), file.data() + base + 8, size);
  return out;
}

TEST(VtpFile, HasTheNumbersThatItsXmlNames) {
  const CurveSequence sequence = small_sequence();
  const CurveFrame frame = sequence.fetch(0).value();
  const std::string file = text_of(encode_vtp(sequence, frame));
  EXPECT_EQ(numbers<float>(file, "position"), frame.positions);
  EXPECT_EQ(numbers<float>(file, "velocity"), frame.velocities);
  EXPECT_EQ(numbers<float>(file, "radius"), (std::vector<float>{0.5f, 1.0f, 1.5f, 2.0f, 2.5f}));
  EXPECT_EQ(numbers<float>(file, "a&lt;&amp;&gt;&quot;b"), (std::vector<float>{5, 6, 7, 8, 9}));
  EXPECT_EQ(numbers<float>(file, "weights"), (std::vector<float>{1, 2, 3, 4}));
  EXPECT_EQ(numbers<std::int64_t>(file, "groom_id"), (std::vector<std::int64_t>{0, 1}));
  EXPECT_EQ(numbers<std::int64_t>(file, "connectivity"), (std::vector<std::int64_t>{0, 1, 2, 3, 4}));
  EXPECT_EQ(numbers<std::int64_t>(file, "offsets"), (std::vector<std::int64_t>{2, 5}));
}

TEST(VtpFile, DeclaresTypesAndPlaces) {
  const CurveSequence sequence = small_sequence();
  const std::string file = text_of(encode_vtp(sequence, sequence.fetch(0).value()));
  EXPECT_TRUE(
      file.starts_with("<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" "
                       "byte_order=\"LittleEndian\" header_type=\"UInt64\">\n"));
  EXPECT_TRUE(file.ends_with("\n  </AppendedData>\n</VTKFile>\n"));
  const std::string piece = file.substr(file.find("<Piece"), 200);
  EXPECT_EQ(quoted_after(piece, "NumberOfPoints"), "5");
  EXPECT_EQ(quoted_after(piece, "NumberOfLines"), "2");
  EXPECT_EQ(quoted_after(piece, "NumberOfPolys"), "0");
  EXPECT_NE(file.find(">0.25</DataArray>"), std::string::npos) << "the time";
  for (const char* name : {"position", "velocity"}) {
    EXPECT_EQ(quoted_after(element(file, name), "type"), "Float32");
    EXPECT_EQ(quoted_after(element(file, name), "NumberOfComponents"), "3");
  }
  EXPECT_EQ(quoted_after(element(file, "weights"), "NumberOfComponents"), "2");
  EXPECT_EQ(quoted_after(element(file, "connectivity"), "type"), "Int64");
  const auto between = [&](const char* name, const char* tag) {
    const std::string open = std::string("<") + tag + ">", close = std::string("</") + tag + ">";
    const std::size_t at = file.find(std::string("Name=\"") + name + "\"");
    return file.find(open) < at && at < file.find(close);
  };
  EXPECT_TRUE(between("velocity", "PointData") && between("radius", "PointData"));
  EXPECT_TRUE(between("a&lt;&amp;&gt;&quot;b", "PointData"));
  EXPECT_TRUE(between("groom_id", "CellData") && between("weights", "CellData"));
  EXPECT_TRUE(between("position", "Points"));
  EXPECT_TRUE(between("connectivity", "Lines") && between("offsets", "Lines"));
}

TEST(VtpFile, LeavesOutWhatIsUnknown) {
  Groom groom;
  groom.curves.points = {{0, 0, 0}, {0, 1, 0}};
  groom.curves.offsets = {0, 2};
  groom.attributes = {{"groom_id", false, 1, {7}}};
  const CurveSequence sequence = still(groom, "one");
  const std::string file = text_of(encode_vtp(sequence, sequence.fetch(0).value()));
  EXPECT_EQ(file.find("velocity"), std::string::npos);
  EXPECT_EQ(file.find("radius"), std::string::npos);
  EXPECT_EQ(numbers<float>(file, "groom_id"), (std::vector<float>{7}));
  EXPECT_EQ(file.find("groom_id"), file.rfind("groom_id"));
}

class PvdFile : public support::TemporaryFolder {};

TEST_F(PvdFile, NamesOneFilePerFrame) {
  const CurveSequence sequence = small_sequence();
  ASSERT_TRUE(write_pvd(folder / "a & b.pvd", sequence));
  EXPECT_EQ(read_text(folder / "a & b.pvd").value(),
            "<?xml version=\"1.0\"?>\n"
            "<VTKFile type=\"Collection\" version=\"0.1\" byte_order=\"LittleEndian\">\n"
            "  <Collection>\n"
            "    <DataSet timestep=\"0.25\" part=\"0\" file=\"a &amp; b/a &amp; b.0004.vtp\"/>\n"
            "    <DataSet timestep=\"1.25\" part=\"0\" file=\"a &amp; b/a &amp; b.0006.vtp\"/>\n"
            "  </Collection>\n"
            "</VTKFile>\n");
  EXPECT_EQ(entries(), 4u);
  EXPECT_EQ(read_bytes(folder / "a & b" / "a & b.0006.vtp").value(), encode_vtp(sequence, sequence.fetch(1).value()));
}

TEST_F(PvdFile, HandsOnTheErrorOfAFrame) {
  CurveSequence sequence = small_sequence();
  sequence.fetch = [fetch = sequence.fetch](std::size_t i) { return i < 1 ? fetch(i) : Error{"frame 6", "is torn"}; };
  EXPECT_EQ(write_pvd(folder / "f.pvd", sequence).error().message(), "frame 6: is torn");
  EXPECT_FALSE(std::filesystem::exists(folder / "f.pvd"));
}

TEST_F(PvdFile, SaysThatItCannotMakeItsFolder) {
  ASSERT_TRUE(write_file(folder / "f", "in the way"));
  const Status status = write_pvd(folder / "f.pvd", small_sequence());
  ASSERT_FALSE(status);
  EXPECT_TRUE(status.error().message().starts_with((folder / "f").string() + ": cannot make the folder: "));
}

}  // namespace
}  // namespace tendril
