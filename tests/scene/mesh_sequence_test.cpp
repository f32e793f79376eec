#include "tendril/scene/mesh_sequence.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "support/temporary_folder.hpp"
#include "tendril/io/atomic_file.hpp"
#include "tendril/io/obj_file.hpp"
#include "tendril/io/pc2_file.hpp"
#include "tendril/io/ply_file.hpp"
#include "tendril/io/stl_file.hpp"

namespace tendril {
namespace {

namespace fs = std::filesystem;
using Eigen::Vector3d;
using Eigen::Vector3f;
using Points = std::vector<Vector3d>;

TriangleMesh tetrahedron(const Vector3d& shift = Vector3d::Zero()) {
  TriangleMesh mesh;
  mesh.points = {{0, 0, 0}, {1, 0, 0}, {0, 2, 0}, {0, 0, 4}};
  for (Vector3d& p : mesh.points) p += shift;
  mesh.triangles = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
  return mesh;
}

class MeshSequenceFiles : public support::TemporaryFolder {
 protected:
  template <class Content>
  void write(const std::string& name, const Content& content) {
    ASSERT_TRUE(write_file(folder / name, content));
  }
  void write_obj(const std::string& name, const TriangleMesh& mesh) { write(name, encode_obj_mesh(mesh)); }

  // Frame f is moved by f along x.
  void write_frames(const std::string& before, int first, int last) {
    for (int f = first; f <= last; ++f) write_obj(before + std::to_string(f) + ".obj", tetrahedron(Vector3d(f, 0, 0)));
  }

  void write_pc2(const std::string& name, const std::vector<Points>& samples, float start = 0.0f, float rate = 1.0f,
                 std::size_t points = 4) {
    std::vector<std::byte> bytes = encode_pc2_header(points, start, rate, samples.size(), name).value();
    for (const Points& sample : samples) {
      const auto more = encode_pc2_sample(sample);
      bytes.insert(bytes.end(), more.begin(), more.end());
    }
    write(name, bytes);
  }

  MeshSequenceRequest request(const std::string& mesh, const std::string& points = {}) const {
    MeshSequenceRequest made;
    made.mesh = folder / mesh;
    if (!points.empty()) made.points = folder / points;
    return made;
  }

  static MeshSequence read(const MeshSequenceRequest& request) {
    const auto sequence = read_mesh_sequence(request);
    if (sequence) return *sequence.value();
    ADD_FAILURE() << sequence.error().message();
    return {};
  }

  // The message, with the folder left out.
  std::string refusal(const MeshSequenceRequest& request) const {
    const auto sequence = read_mesh_sequence(request);
    if (sequence) return "accepted";
    std::string message = sequence.error().message();
    const std::string prefix = folder.string() + "/";
    for (std::size_t at = message.find(prefix); at != std::string::npos; at = message.find(prefix))
      message.erase(at, prefix.size());
    return message;
  }
};

TEST_F(MeshSequenceFiles, ReadsNumberedFramesInTheOrderOfTheirNumbers) {
  write_frames("head_", 8, 11);
  write("head_.obj", std::string("no frame"));
  write("head_a.obj", std::string("no frame"));
  write("head_9.ply", std::string("no frame"));
  write("my_head_9.obj", std::string("no frame"));
  fs::create_directory(folder / "head_12.obj");
  const MeshSequence sequence = read(request("head_#.obj"));
  EXPECT_EQ(sequence.triangles, tetrahedron().triangles);
  ASSERT_EQ(sequence.frames.size(), 4u);
  for (int f = 0; f < 4; ++f)
    for (std::size_t v = 0; v < 4; ++v)
      EXPECT_EQ(sequence.frames[std::size_t(f)][v],
                (tetrahedron().points[v] + Vector3d(f + 8, 0, 0)).cast<float>().eval());
  EXPECT_EQ(sequence.name, (folder / "head_#.obj").string());
}

TEST_F(MeshSequenceFiles, TakesNumbersWithAtLeastAsManyDigitsAsThePatternHas) {
  for (const char* name : {"head_0098.obj", "head_0099.obj", "head_0100.obj"}) write_obj(name, tetrahedron());
  write_obj("head_97.obj", tetrahedron());
  EXPECT_EQ(read(request("head_####.obj")).frames.size(), 3u);
  EXPECT_EQ(read(request("head_##.obj")).frames.size(), 4u);
  write_obj("b.9999.obj", tetrahedron());
  write_obj("b.10000.obj", tetrahedron());
  EXPECT_EQ(read(request("b.####.obj")).frames.size(), 2u);
}

TEST_F(MeshSequenceFiles, ReadsPlyAndStlFrames) {
  for (int f = 0; f < 3; ++f) {
    const TriangleMesh mesh = tetrahedron(Vector3d(0, f, 0));
    write("a" + std::to_string(f) + ".ply", encode_ply_mesh(mesh));
    write("a" + std::to_string(f) + ".stl", encode_stl(mesh));
  }
  for (const char* pattern : {"a#.ply", "a#.stl"}) {
    const MeshSequence sequence = read(request(pattern));
    ASSERT_EQ(sequence.frames.size(), 3u);
    for (std::size_t t = 0; t < 4; ++t)
      for (std::size_t c = 0; c < 3; ++c)
        EXPECT_EQ(sequence.frames[2][sequence.triangles[t][c]],
                  (tetrahedron().points[tetrahedron().triangles[t][c]] + Vector3d(0, 2, 0)).cast<float>().eval());
  }
}

TEST_F(MeshSequenceFiles, ReadsPointsFromAPointCache) {
  write_obj("head.obj", tetrahedron());
  write_pc2("head.pc2", {tetrahedron({1, 0, 0}).points, tetrahedron({3, 0, 0}).points}, 17.0f, 0.5f);
  MeshSequenceRequest asked = request("head.obj", "head.pc2");
  asked.fps = 30.0, asked.start = 2.0;
  const MeshSequence sequence = read(asked);
  EXPECT_EQ(sequence.triangles, tetrahedron().triangles);
  EXPECT_EQ(sequence.fps, 60.0);  // half a frame from sample to sample
  EXPECT_EQ(sequence.start, 2.0);
  EXPECT_DOUBLE_EQ(sequence.end(), 2.0 + 1.0 / 60.0);
  ASSERT_EQ(sequence.frames.size(), 2u);
  EXPECT_EQ(sequence.frames[1][2], Vector3f(3, 2, 0));
}

TEST_F(MeshSequenceFiles, ScalesAndTurnsToMetresWithYUp) {
  write_frames("head_", 1, 2);
  write_obj("head.obj", tetrahedron());
  write_pc2("head.pc2", {tetrahedron({1, 0, 0}).points, tetrahedron({2, 0, 0}).points});
  for (MeshSequenceRequest asked : {request("head_#.obj"), request("head.obj", "head.pc2")}) {
    asked.scale = 0.5;
    EXPECT_EQ(read(asked).frames[1][3], Vector3f(1, 0, 2));
    asked.up = UpAxis::z;
    EXPECT_EQ(read(asked).frames[1][3], Vector3f(1, 2, 0));
    EXPECT_EQ(read(asked).frames[1][2], Vector3f(1, 0, -1));
  }
}

TEST_F(MeshSequenceFiles, MovesPointsInStraightLinesAndHoldsTheEnds) {
  write_obj("a1.obj", tetrahedron());
  write_obj("a2.obj", tetrahedron({4, 0, 0}));
  write_obj("a3.obj", tetrahedron({4, 8, 0}));
  MeshSequenceRequest asked = request("a#.obj");
  asked.fps = 4.0, asked.start = 1.0;
  const MeshSequence sequence = read(asked);
  const double infinity = std::numeric_limits<double>::infinity();
  for (const auto& [time, place] : {std::pair(-infinity, Vector3d(0, 0, 0)),
                                    {0.0, {0, 0, 0}},
                                    {1.0, {0, 0, 0}},
                                    {1.0625, {1, 0, 0}},
                                    {1.25, {4, 0, 0}},
                                    {1.375, {4, 4, 0}},
                                    {1.5, {4, 8, 0}},
                                    {1.51, {4, 8, 0}},
                                    {infinity, {4, 8, 0}}}) {
    EXPECT_EQ(sequence.point(0, time), place) << time;
    EXPECT_EQ(sequence.points_at(time), tetrahedron(place).points) << time;
  }
  EXPECT_EQ(sequence.frame_time(1.375), (FrameTime{1, 0.5}));
  EXPECT_EQ(sequence.frame_time(7.0), (FrameTime{2, 0.0}));
  EXPECT_EQ(sequence.end(), 1.5);
}

TEST_F(MeshSequenceFiles, RefusesAMeshThatDoesNotMove) {
  write_obj("head.obj", tetrahedron());
  EXPECT_EQ(refusal(request("head.obj")),
            "head.obj: is one mesh, which does not move; write # for the digits of the frame's number, as in "
            "head_####.obj, or add the .pc2 file that moves its points");
  write_obj("head_0004.obj", tetrahedron());
  EXPECT_EQ(refusal(request("head_####.obj")),
            "head_0004.obj: is the only frame, and one frame does not move; a sequence has two or more");
}

TEST_F(MeshSequenceFiles, RefusesNumbersThatMakeNoTime) {
  write_frames("head_", 1, 2);
  MeshSequenceRequest asked = request("head_#.obj");
  asked.fps = 0.0;
  EXPECT_EQ(refusal(asked), "head_#.obj: 0 frames per second; they must be a finite number above 0");
  asked.fps = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(refusal(asked), "head_#.obj: nan frames per second; they must be a finite number above 0");
  asked.fps = 24.0, asked.scale = -1.0;
  EXPECT_EQ(refusal(asked), "head_#.obj: -1 metres per unit; they must be a finite number above 0");
  asked.scale.reset(), asked.start = std::numeric_limits<double>::infinity();
  EXPECT_EQ(refusal(asked), "head_#.obj: inf s is not a time at which the sequence could start");
}

TEST_F(MeshSequenceFiles, RefusesPatternsThatNameNoSequence) {
  EXPECT_EQ(refusal(request("head_####.obj")),
            "head_####.obj: no file has such a name; the first frame could be head_0001.obj");
  EXPECT_EQ(refusal(request("head_##_##.obj")),
            "head_##_##.obj: has # at two places; one run of # stands for the frame's number, as in head_####.obj");
  EXPECT_EQ(refusal(request("missing/head_#.obj")),
            "missing: cannot be searched for frames: No such file or directory");
  EXPECT_EQ(refusal(request("head_#.obj", "head.pc2")),
            "head_#.obj: has # for a frame's number, so head.pc2 would move its points twice; leave out one of them");
  write("a1.abc", std::string());
  write("a2.abc", std::string());
  EXPECT_EQ(refusal(request("a#.abc")),
            "a1.abc: the extension '.abc' is not one of a triangle mesh; these are .obj, .ply and .stl");
}

TEST_F(MeshSequenceFiles, NamesTheFrameThatIsMissingOrThereTwice) {
  for (const char* name : {"head_0001.obj", "head_0002.obj", "head_0005.obj"}) write_obj(name, tetrahedron());
  EXPECT_EQ(refusal(request("head_####.obj")),
            "head_0003.obj: is missing between head_0002.obj and head_0005.obj; a sequence has no gaps");
  write_obj("head_00002.obj", tetrahedron());
  EXPECT_EQ(refusal(request("head_####.obj")),
            "head_0002.obj: is frame 2 a second time, besides head_00002.obj; remove one of them");
}

TEST_F(MeshSequenceFiles, NamesTheFrameThatHasOtherPointsOrTriangles) {
  write_frames("head_", 1, 4);
  TriangleMesh other = tetrahedron();
  std::swap(other.triangles[1][1], other.triangles[1][2]);
  write_obj("head_3.obj", other);
  EXPECT_EQ(refusal(request("head_#.obj")),
            "head_3.obj: has other triangles than head_1.obj; every frame needs the points and faces of the first, in "
            "the same order");
  other = tetrahedron();
  other.points.push_back({1, 1, 1});
  write_obj("head_2.obj", other);
  EXPECT_EQ(refusal(request("head_#.obj")),
            "head_2.obj: has 5 points, but head_1.obj has 4; every frame needs the points and faces of the first, in "
            "the same order");
  write("head_2.obj", std::string("v 0 0 0\nv 1 0\n"));
  EXPECT_EQ(refusal(request("head_#.obj")), "head_2.obj:2: a point has three coordinates, as in 'v 0 0.5 1'");
}

TEST_F(MeshSequenceFiles, RefusesStlFramesInWhichOtherPointsMeet) {
  TriangleMesh mesh = tetrahedron();
  write("a1.stl", encode_stl(mesh));
  mesh.points[3] = mesh.points[2];
  write("a2.stl", encode_stl(mesh));
  EXPECT_EQ(refusal(request("a#.stl")),
            "a2.stl: has 3 points, but a1.stl has 4; in an .stl points that meet become one, so write the frames as "
            ".obj or .ply");
}

TEST_F(MeshSequenceFiles, NamesThePointThatIsNotFinite) {
  write_frames("head_", 1, 2);
  TriangleMesh mesh = tetrahedron();
  mesh.points[2].y() = std::numeric_limits<double>::quiet_NaN();
  write_obj("head_2.obj", mesh);
  EXPECT_EQ(refusal(request("head_#.obj")), "head_2.obj:3: a coordinate is not a finite number");
  write("head_2.obj", std::string("v 0 0 0\nv 1 0 0\nv 0 1e39 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"));
  EXPECT_EQ(refusal(request("head_#.obj")),
            "head_2.obj: frame 2, point 2: a coordinate is not a finite number below 3.4e+38 m");
  MeshSequenceRequest asked = request("head_#.obj");
  asked.scale = 0.01;
  EXPECT_EQ(refusal(asked), "accepted");
  write_obj("head.obj", tetrahedron());
  mesh.points[2].y() = std::numeric_limits<double>::infinity();
  write_pc2("head.pc2", {tetrahedron().points, mesh.points});
  EXPECT_EQ(refusal(request("head.obj", "head.pc2")),
            "head.pc2: sample 1, point 2: a coordinate is not a finite number below 3.4e+38 m");
}

TEST_F(MeshSequenceFiles, RefusesPointCachesThatDoNotFit) {
  write_obj("head.obj", tetrahedron());
  const MeshSequenceRequest asked = request("head.obj", "head.pc2");
  EXPECT_EQ(refusal(asked), "head.pc2: cannot be opened: No such file or directory");
  const Points points = tetrahedron().points, three(points.begin(), points.begin() + 3);
  write_pc2("head.pc2", {three, three}, 0.0f, 1.0f, 3);
  EXPECT_EQ(refusal(asked), "head.pc2: has 3 points, but head.obj has 4; both must be of the same mesh");
  write_pc2("head.pc2", {points});
  EXPECT_EQ(refusal(asked), "head.pc2: has one sample; a mesh moves if there are two or more");
  write_pc2("head.pc2", {});
  EXPECT_EQ(refusal(asked), "head.pc2: has no sample; a mesh moves if there are two or more");
  write_pc2("head.pc2", {points, points}, 0.0f, 0.0f);
  EXPECT_EQ(refusal(asked), "head.pc2: has 0 frames from one sample to the next; there must be more than 0");
  write("head.pc2", std::string("POINTCASH2, and so on, and so on"));
  EXPECT_EQ(refusal(asked), "head.pc2: byte 0: this is not a point cache: it does not begin with POINTCACHE2");
  EXPECT_EQ(refusal(request("none.obj", "head.pc2")), "none.obj: cannot be opened: No such file or directory");
  write("head.stl", encode_stl(tetrahedron()));
  EXPECT_EQ(refusal(request("head.stl", "head.pc2")),
            "head.stl: an .stl does not number its points as a .pc2 does; write the mesh as .obj");
}

TEST_F(MeshSequenceFiles, FindsFramesInTheFolderItIsIn) {
  write_frames("head_", 1, 2);
  const fs::path before = fs::current_path();
  fs::current_path(folder);
  MeshSequenceRequest asked;
  asked.mesh = "head_#.obj";
  const auto sequence = read_mesh_sequence(asked);
  fs::current_path(before);
  ASSERT_TRUE(sequence) << sequence.error().message();
  EXPECT_EQ(sequence.value()->frames.size(), 2u);
}

}  // namespace
}  // namespace tendril
