#include "tendril/render/movie.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>

#include <cstring>
#include <vector>

extern char** environ;  // POSIX leaves its declaration to the user

namespace tendril::render {
namespace {

namespace fs = std::filesystem;

// The exit code of a program that is sought on the path; without input, its messages in a file.
Result<int> call(const std::vector<std::string>& words, const std::string& messages) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, messages.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  pid_t process = 0;
  const int fault = posix_spawnp(&process, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (fault != 0) return Error{words[0], fmt::format("cannot be started: {}", std::strerror(fault))};
  int status = 0;
  if (waitpid(process, &status, 0) < 0 || !WIFEXITED(status)) return Error{words[0], "was ended from outside"};
  return WEXITSTATUS(status);
}

}  // namespace

Status can_make_movies() {
  const Result<int> code = call({"ffmpeg", "-version"}, "/dev/null");
  if (code && code.value() == 0) return ok();
  return Error{"--movie",
               "needs the program ffmpeg, which is not on this machine; install it (apt-get install ffmpeg) "
               "or write pictures with --out name_####.png"};
}

Status make_movie(const std::string& pattern, int first, double fps, const fs::path& out) {
  fs::path part = out, messages = out;
  part += ".part" + out.extension().string();  // ffmpeg takes the format from the extension
  messages += ".log";
  // Even sizes and this way to store colours are what every player reads.
  const Result<int> code = call({"ffmpeg", "-y", "-loglevel", "error", "-framerate", fmt::format("{}", fps),
                                 "-start_number", fmt::format("{}", first), "-i", pattern, "-vf",
                                 "pad=ceil(iw/2)*2:ceil(ih/2)*2", "-pix_fmt", "yuv420p", part.string()},
                                messages.string());
  std::error_code fault;
  if (!code || code.value() != 0) {
    fs::remove(part, fault);
    if (!code) return code.error();
    return Error{out.string(), fmt::format("ffmpeg could not make it; {} has its words", messages.string())};
  }
  fs::remove(messages, fault);
  fs::rename(part, out, fault);
  if (fault) return Error{out.string(), fmt::format("cannot be written: {}", fault.message())};
  return ok();
}

}  // namespace tendril::render
