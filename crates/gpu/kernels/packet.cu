// The kernels of the packet engine. `make gpu-ptx` compiles them into packet.ptx, which is part of the crate.

// Writes the square of each thread's number plus one, to show that launches and copies work; `out` is the address of a word for
// each thread.
extern "C" __global__ void probe(unsigned long long out)
{
    unsigned long long thread = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;
    reinterpret_cast<unsigned long long *>(out)[thread] = thread * thread + 1;
}
