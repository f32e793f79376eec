"""VTK as a judge of .vtp files."""

import xml.etree.ElementTree

import judges
import numpy as np

try:
    from vtkmodules.util.numpy_support import vtk_to_numpy
    from vtkmodules.vtkIOXML import vtkXMLPolyDataReader
except ImportError:
    vtkXMLPolyDataReader = None


def need_vtk():
    if vtkXMLPolyDataReader is None:
        judges.skip("VTK for Python (python3-vtk9) is not installed")


def arrays(data):
    return {data.GetArrayName(i): vtk_to_numpy(data.GetArray(i)) for i in range(data.GetNumberOfArrays())}


def read(file):
    complaints = []
    reader = vtkXMLPolyDataReader()
    for event in ("ErrorEvent", "WarningEvent"):
        reader.AddObserver(event, lambda *_, event=event: complaints.append(event))
    assert reader.CanReadFile(str(file)), file
    reader.SetFileName(str(file))
    reader.Update()
    assert not complaints and not reader.GetErrorCode(), (file, complaints)
    output = reader.GetOutput()
    assert output.GetNumberOfCells() == output.GetNumberOfLines(), file  # nothing but lines
    return {
        "points": vtk_to_numpy(output.GetPoints().GetData()),
        "connectivity": vtk_to_numpy(output.GetLines().GetConnectivityArray()).tolist(),
        "offsets": vtk_to_numpy(output.GetLines().GetOffsetsArray()).tolist(),
        "point": arrays(output.GetPointData()),
        "cell": arrays(output.GetCellData()),
        "field": arrays(output.GetFieldData()),
    }


def judge_pvd(run, folder):
    file = folder / "run.pvd"
    judges.tendril("convert", run.cache, file, "--quiet")
    collection = xml.etree.ElementTree.parse(file).getroot()
    assert collection.tag == "VTKFile" and collection.get("type") == "Collection", collection.attrib
    entries = collection.findall("Collection/DataSet")
    strands, vertices = len(run.offset) - 1, int(run.offset[-1])
    for entry, frame in zip(entries, run.frames.values(), strict=True):
        found, where = read(folder / entry.get("file")), entry.get("file")
        assert float(entry.get("timestep")) == frame["time"], (where, entry.attrib, frame["time"])
        assert found["field"]["TimeValue"].tolist() == [frame["time"]], (where, found["field"])
        assert found["points"].dtype == np.float32, where
        judges.equal(found["points"], frame["position"], where)
        judges.equal(found["point"]["velocity"], frame["velocity"], where)
        judges.equal(found["point"]["radius"], frame["radius"], where)
        assert found["offsets"] == run.offset.tolist() and found["connectivity"] == list(range(vertices)), where
        assert found["cell"]["groom_id"].tolist() == list(range(strands)), where
