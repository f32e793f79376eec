// VTK's XML files of poly-data (.vtp) with numbers appended as raw bytes, and the collection (.pvd) that strings the
// frames of a run together: ParaView opens either.
//
//   <VTKFile type="PolyData" version="1.0" byte_order="LittleEndian" header_type="UInt64"> ... DataArray entries, each
//   with the offset of its numbers ... <AppendedData encoding="raw">_  then for each array u64 size in bytes, numbers
//
// One poly-line per strand. Points carry `velocity` and `radius` if known and attributes per vertex, lines those per
// strand and `groom_id`.
#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

#include "tendril/base/error.hpp"
#include "tendril/io/curve_sequence.hpp"

namespace tendril {

std::vector<std::byte> encode_vtp(const CurveSequence& sequence, const CurveFrame& frame);

// NAME.pvd, and beside it a folder NAME with one .vtp per frame.
Status write_pvd(const std::filesystem::path& path, const CurveSequence& sequence);

}  // namespace tendril
