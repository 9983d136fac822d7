// Ordinary kernels as LLVM compiles them. kernels.ptx is made from this file by
//   clang-19 -x cuda --cuda-device-only --cuda-gpu-arch=sm_90a -nocudainc -nocudalib -O2
//     -gline-tables-only -fdebug-prefix-map=$PWD=. -S kernels.cu -o kernels.ptx
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __device__ __attribute__((device))

extern "C" {

__device__ static inline int tid() { return __nvvm_read_ptx_sreg_tid_x(); }
__device__ static inline int bid() { return __nvvm_read_ptx_sreg_ctaid_x(); }
__device__ static inline int threads() { return __nvvm_read_ptx_sreg_ntid_x(); }
__device__ static inline int index() { return bid() * threads() + tid(); }

__global__ void saxpy(float* y, const float* x, float a, int n) {
  int i = index();
  if (i < n) y[i] = a * x[i] + y[i];
}

__global__ void sgemm(float* c, const float* a, const float* b, int n) {
  __shared__ float sa[32][33], sb[32][33];
  int tx = tid() & 31, ty = tid() >> 5, bx = bid() % (n / 32), by = bid() / (n / 32);
  float sum[8] = {0};
  for (int k = 0; k < n; k += 32) {
    for (int i = 0; i < 32; i += 4) {
      sa[ty + i][tx] = a[(by * 32 + ty + i) * n + k + tx];
      sb[ty + i][tx] = b[(k + ty + i) * n + bx * 32 + tx];
    }
    __syncthreads();
    for (int kk = 0; kk < 32; kk++) {
      float value = sb[kk][tx];
      for (int i = 0; i < 8; i++) sum[i] = __builtin_fmaf(sa[ty + i * 4][kk], value, sum[i]);
    }
    __syncthreads();
  }
  for (int i = 0; i < 8; i++) c[(by * 32 + ty + i * 4) * n + bx * 32 + tx] = sum[i];
}

__global__ void row_sums(float* out, const float* x, int n) {
  __shared__ float partial[32];
  float v = 0;
  for (int i = tid(); i < n; i += threads()) v += x[bid() * n + i];
  for (int d = 16; d; d >>= 1) v += __nvvm_shfl_sync_bfly_f32(-1, v, d, 31);
  if ((tid() & 31) == 0) partial[tid() >> 5] = v;
  __syncthreads();
  if (tid() < 32) {
    v = tid() < threads() / 32 ? partial[tid()] : 0.f;
    for (int d = 16; d; d >>= 1) v += __nvvm_shfl_sync_bfly_f32(-1, v, d, 31);
    if (tid() == 0) out[bid()] = v;
  }
}

__global__ void blur(unsigned short* out, const unsigned short* in, int w, int h) {
  int x = index();
  if (x >= w - 2) return;
  for (int y = 0; y < h - 2; y++) {
    unsigned sum = 0;
    for (int j = 0; j < 3; j++)
      for (int i = 0; i < 3; i++) sum += in[(y + j) * w + x + i];
    out[y * w + x] = sum / 9;
  }
}

__device__ __attribute__((noinline)) float power(float x, int n) {
  float result = 1;
  for (int i = 0; i < n; i++) result *= x;
  return result;
}
__global__ void calls(float* out, const float* x, int n) {
  int i = index();
  if (i < n) out[i] = power(x[i], i & 7);
}

__global__ void choices(int* out, const int* x, int n) {
  int i = index();
  if (i >= n) return;
  int v = x[i], r;
  switch (v & 7) {
    case 0: r = v * 3; break;
    case 1: r = v - 7; break;
    case 2: r = v / 3; break;
    case 3: r = v % 5; break;
    case 4: r = __builtin_popcount(v); break;
    case 5: r = __builtin_clz(v | 1); break;
    case 6: r = (int)((unsigned)v << 3); break;
    default: r = ~v;
  }
  int array[8];
  for (int k = 0; k < 8; k++) array[k] = v ^ k;
  out[i] = r + array[(v >> 3) & 7];
}

__global__ void doubles(double* out, const double* x, int n) {
  int i = index();
  if (i < n) out[i] = __builtin_sqrt(x[i]) / (x[i] + 1.0) + (double)(long long)x[i];
}

__global__ void histogram(unsigned* h, const unsigned char* x, int n) {
  __shared__ unsigned mine[256];
  mine[tid()] = 0;
  __syncthreads();
  for (int i = index(); i < n; i += threads() * 4) __nvvm_atom_add_gen_i((int*)&mine[x[i]], 1);
  __syncthreads();
  __nvvm_atom_add_gen_i((int*)&h[tid()], mine[tid()]);
}

__global__ void halves(_Float16* out, const _Float16* x, int n) {
  int i = index();
  if (i < n) out[i] = x[i] * (_Float16)2.5f + (_Float16)((float)x[i] / 3.0f);
}
}
