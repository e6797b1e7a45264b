// A driver of a GPU that is this processor: the kernels of crates/gpu, compiled as C++, behind those functions of the CUDA driver that
// weir calls. The variable WEIR_TEST_GPU_MEMORY says how many bytes it has.
#include "packet.cu"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>

namespace {
std::map<u64, size_t> buffers;
size_t used = 0;

// The variables of the module; here the network of a point is an address.
Network networks[16];
Point points[112], own[112];

// The kernels by what they do.
enum Kernel : size_t { WINDOW = 1, DECIDING, SAMPLED, SAMPLED_DECIDING, END, INJECT, CLOSE };

size_t memory() {
    const char* text = std::getenv("WEIR_TEST_GPU_MEMORY");
    return text ? std::strtoull(text, nullptr, 10) : size_t(4) << 30;
}
}  // namespace

extern "C" {
int cuInit(unsigned) { return std::getenv("WEIR_TEST_NO_DEVICE") ? 100 : 0; }
int cuDriverGetVersion(int* version) { *version = 13000; return 0; }
int cuGetErrorName(int, const char** text) { *text = "ERROR_OF_A_TEST"; return 0; }
int cuGetErrorString(int, const char** text) { *text = "words of a test"; return 0; }
int cuDeviceGet(int* device, int) { *device = 0; return 0; }
int cuDeviceGetName(char* text, int room, int) { std::snprintf(text, room, "a processor"); return 0; }
int cuDeviceTotalMem_v2(size_t* bytes, int) { *bytes = memory(); return 0; }
int cuDeviceGetAttribute(int* value, int, int) { *value = 1; return 0; }
int cuDevicePrimaryCtxRetain(size_t* handle, int) { *handle = 1; return 0; }
int cuDevicePrimaryCtxRelease_v2(int) { return 0; }
int cuCtxSetCurrent(size_t) { return 0; }
int cuCtxSynchronize() { return 0; }
int cuModuleLoadDataEx(size_t* handle, const void*, unsigned, int*, void**) { *handle = 1; return 0; }
int cuModuleUnload(size_t) { return 0; }

int cuModuleGetFunction(size_t* handle, size_t, const char* name) {
    bool is_window = std::strstr(name, "window");
    size_t other = std::strstr(name, "inject") ? INJECT : std::strstr(name, "close") ? CLOSE : END;
    *handle = is_window ? WINDOW + (std::strstr(name, "deciding") != nullptr) + 2 * (std::strstr(name, "sampled") != nullptr) : other;
    return 0;
}

int cuModuleGetGlobal_v2(u64* address, size_t* bytes, size_t, const char* name) {
    bool is_points = std::strcmp(name, "points") == 0;
    *address = is_points ? (u64)points : (u64)networks;
    *bytes = is_points ? sizeof points : sizeof networks;
    return 0;
}

int cuMemGetInfo_v2(size_t* free, size_t* total) {
    *total = memory();
    *free = *total > used ? *total - used : 0;
    return 0;
}

int cuMemAlloc_v2(u64* address, size_t bytes) {
    if (used + bytes > memory()) return 2;
    void* place = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
    if (!place) return 2;
    *address = (u64)place;
    buffers[*address] = bytes;
    used += bytes;
    return 0;
}

int cuMemFree_v2(u64 address) {
    used -= buffers[address];
    buffers.erase(address);
    std::free((void*)address);
    return 0;
}

int cuMemsetD8_v2(u64 address, unsigned char value, size_t bytes) { std::memset((void*)address, value, bytes); return 0; }
int cuMemcpyHtoD_v2(u64 to, const void* from, size_t bytes) { std::memcpy((void*)to, from, bytes); return 0; }
int cuMemcpyDtoH_v2(void* to, u64 from, size_t bytes) { std::memcpy(to, (void*)from, bytes); return 0; }

// A window has its number first, and packets that come in have their address and how many they are; the second number of a block is that of the point.
int cuLaunchKernel(
    size_t kernel, unsigned, unsigned count, unsigned, unsigned, unsigned, unsigned, unsigned, size_t, void** arguments, void**
) {
    if (std::getenv("WEIR_TEST_GPU_FAILS")) return 700;
    for (unsigned place = 0; place < count; ++place) {
        std::memcpy(&own[place], &points[place], sizeof(Point));
        own[place].network = (u64)&networks[points[place].network];
    }
    if (kernel == END) weir_end(own, count);
    else if (kernel == INJECT) weir_inject(own, *(const Injected**)arguments[0], *(u64*)arguments[1]);
    else if (kernel == CLOSE) weir_close(own, *(u64*)arguments[0], *(u64*)arguments[1]);
    else weir_window(own, count, *(u64*)arguments[0], 0, kernel - WINDOW, 1);
    return 0;
}
}
