// What a run has cost: of both programs here.
#pragma once

#include <cstdlib>
#include <fstream>
#include <string>
#include <sys/resource.h>

inline double cpu_seconds() {
  rusage used;
  getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](timeval time) { return time.tv_sec + 1e-6 * time.tv_usec; };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

/// The largest memory of this process. getrusage would count that of the process which started this one, too.
inline long peak_memory_bytes() {
  std::ifstream status("/proc/self/status");
  std::string line;
  while (std::getline(status, line))
    if (line.rfind("VmHWM:", 0) == 0)
      return std::atol(line.c_str() + 6) * 1024;
  return 0;
}
