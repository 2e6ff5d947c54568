#include "image/sha256.hpp"

#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <memory>

#include <fmt/format.h>

namespace aotscope::image {

Result<std::string> sha256_hex(const MappedFile& file) {
  constexpr std::size_t kChunk = 1 << 20;
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(),
                                                                        &EVP_MD_CTX_free);
  bool ok = context != nullptr && EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr) == 1;
  const auto bytes = file.bytes();
  for (std::size_t at = 0; ok && at < bytes.size(); at += kChunk) {
    const auto part = bytes.subspan(at, std::min(kChunk, bytes.size() - at));
    ok = EVP_DigestUpdate(context.get(), part.data(), part.size()) == 1;
    file.release(part);
  }
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  if (!ok || EVP_DigestFinal_ex(context.get(), digest.data(), &size) != 1) {
    return fail("OpenSSL cannot compute SHA-256");
  }
  std::string hex;
  for (unsigned int i = 0; i < size; ++i) hex += fmt::format("{:02x}", digest[i]);
  return hex;
}

}  // namespace aotscope::image
