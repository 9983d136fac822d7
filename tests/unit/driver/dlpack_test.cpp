// Tensors in and out, here; those on a device are in tests/gpu.
#include <sinter/dlpack.h>

#include <gtest/gtest.h>

namespace sinter::test {
namespace {

using dlpack::ManagedTensor;

TEST(DLPack, ABufferGoesOutAndComesBack) {
  Buffer<> back;
  {
    Buffer<float> image(5, 3);
    image.for_each_element([&](int x, int y) { image(x, y) = float(10 * y + x); });
    ManagedTensor* tensor = dlpack::export_buffer(image.cropped(0, 1, 4));
    const dlpack::Tensor& t = tensor->dl_tensor;
    EXPECT_EQ(t.device.type, dlpack::DeviceType::Cpu);
    EXPECT_EQ(t.ndim, 2);
    EXPECT_EQ(t.shape[0], 3);  // the last dimension is the innermost
    EXPECT_EQ(t.shape[1], 4);
    EXPECT_EQ(t.strides[0], 5);
    EXPECT_EQ(t.strides[1], 1);
    EXPECT_EQ(t.dtype.code, dlpack::TypeCode::Float);
    EXPECT_EQ(t.dtype.bits, 32);
    EXPECT_EQ(static_cast<float*>(t.data)[5], 11);
    static_cast<float*>(t.data)[0] = 99;
    EXPECT_EQ(image(1, 0), 99);
    back = dlpack::import_tensor(tensor);
  }  // the memory lives on in the tensor
  const Buffer<float> again = back.as<float>();
  EXPECT_EQ(again.extent(0), 4);
  EXPECT_EQ(again.extent(1), 3);
  EXPECT_EQ(again(0, 0), 99);
  EXPECT_EQ(again(3, 2), 24);
}

int deleted = 0;

struct Given {
  std::int64_t shape[2] = {2, 3};
  std::int16_t data[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  ManagedTensor tensor{
      {data, {dlpack::DeviceType::Cpu, 0}, 2, {dlpack::TypeCode::Int, 16, 1}, shape, nullptr, 2},
      nullptr,
      [](ManagedTensor*) { ++deleted; }};
};

TEST(DLPack, DenseTensorsWithAnOffsetAreTakenAndReturned) {
  Given given;
  deleted = 0;
  {
    const Buffer<std::int16_t> b = dlpack::import_tensor(&given.tensor);
    EXPECT_EQ(b.extent(0), 3);
    EXPECT_EQ(b.extent(1), 2);
    EXPECT_EQ(b(2, 1), 6);
    const Buffer<std::int16_t> row = b.sliced(1, 1);
    EXPECT_EQ(row(0), 4);
    EXPECT_EQ(deleted, 0);
  }
  EXPECT_EQ(deleted, 1);
}

TEST(DLPack, WhatHasNoBufferIsRefusedAndStaysTheCallers) {
  const auto refused = [](Given& given) {
    try {
      dlpack::import_tensor(&given.tensor);
    } catch (const Error& e) {
      return e.diagnostic().reason;
    }
    return std::string();
  };
  deleted = 0;
  Given lanes, complex, device, misaligned, huge;
  lanes.tensor.dl_tensor.dtype.lanes = 4;
  EXPECT_NE(refused(lanes).find("4 lanes"), std::string::npos);
  complex.tensor.dl_tensor.dtype = {dlpack::TypeCode(5), 64, 1};
  EXPECT_NE(refused(complex).find("type code 5"), std::string::npos);
  device.tensor.dl_tensor.device = {dlpack::DeviceType(10), 0};
  EXPECT_NE(refused(device).find("type 10"), std::string::npos);
  misaligned.tensor.dl_tensor.byte_offset = 1;
  EXPECT_NE(refused(misaligned).find("multiple"), std::string::npos);
  huge.shape[0] = std::int64_t{1} << 40;
  EXPECT_NE(refused(huge).find("extent 1099511627776"), std::string::npos);
  Given cuda;
  cuda.tensor.dl_tensor.device = {dlpack::DeviceType::Cuda, 0};
  EXPECT_NE(refused(cuda).find("no device"), std::string::npos);
  EXPECT_EQ(deleted, 0);
}

}  // namespace
}  // namespace sinter::test
