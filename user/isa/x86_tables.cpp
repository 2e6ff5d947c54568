#include "isa/x86_tables.hpp"

namespace aotscope::isa::x86 {
namespace {

using enum Entry::Flags;
constexpr std::uint8_t flags(unsigned f) { return static_cast<std::uint8_t>(f); }

constexpr void put(Map& map, unsigned first, unsigned last, Entry entry) {
  for (unsigned i = first; i <= last; ++i) map[i] = entry;
}

constexpr Map make_one_byte() {
  Map map{};
  // add or adc sbb and sub xor cmp: Eb,Gb Ev,Gv Gb,Eb Gv,Ev al,Ib rax,Iz.
  for (unsigned row = 0; row < 8; ++row) {
    unsigned f = sets_flags | (row == 7 ? no_dst : 0) | reads_dst;
    if (row == 2 || row == 3) f |= uses_flags;
    for (unsigned column = 0; column < 6; ++column) {
      const Form form = column < 2 ? Form::rm_reg : column < 4 ? Form::reg_rm : Form::acc;
      const Imm imm = column == 4 ? Imm::b : column == 5 ? Imm::z : Imm::none;
      map[row * 8 + column] = {form, imm, row == 0 ? Kind::add : Kind::alu,
                               flags(f | (column % 2 ? 0u : +byte_op))};
    }
  }
  put(map, 0x50, 0x57, {Form::opcode, Imm::none, Kind::push, 0});
  put(map, 0x58, 0x5f, {Form::opcode, Imm::none, Kind::pop, 0});
  map[0x63] = {Form::reg_rm, Imm::none, Kind::sign_extend, 0};  // movsxd
  map[0x68] = {Form::none, Imm::z, Kind::push, 0};
  map[0x6a] = {Form::none, Imm::b, Kind::push, 0};
  map[0x69] = {Form::reg_rm, Imm::z, Kind::multiply, sets_flags};
  map[0x6b] = {Form::reg_rm, Imm::b, Kind::multiply, sets_flags};
  put(map, 0x70, 0x7f, {Form::relative, Imm::b, Kind::branch, uses_flags});
  map[0x80] = {Form::rm, Imm::b, Kind::alu, flags(sets_flags | reads_dst | byte_op)};  // group 1
  map[0x81] = {Form::rm, Imm::z, Kind::alu, flags(sets_flags | reads_dst)};
  map[0x83] = {Form::rm, Imm::b, Kind::alu, flags(sets_flags | reads_dst)};
  map[0x84] = {Form::rm_reg, Imm::none, Kind::alu,
               flags(sets_flags | reads_dst | no_dst | byte_op)};  // test
  map[0x85] = {Form::rm_reg, Imm::none, Kind::alu, flags(sets_flags | reads_dst | no_dst)};
  map[0x86] = {Form::rm_reg, Imm::none, Kind::exchange, flags(reads_dst | byte_op)};
  map[0x87] = {Form::rm_reg, Imm::none, Kind::exchange, reads_dst};
  map[0x88] = {Form::rm_reg, Imm::none, Kind::move, byte_op};
  map[0x89] = {Form::rm_reg, Imm::none, Kind::move, 0};
  map[0x8a] = {Form::reg_rm, Imm::none, Kind::move, byte_op};
  map[0x8b] = {Form::reg_rm, Imm::none, Kind::move, 0};
  map[0x8d] = {Form::reg_rm, Imm::none, Kind::address, 0};
  map[0x8f] = {Form::rm, Imm::none, Kind::pop, 0};
  map[0x90] = {Form::none, Imm::none, Kind::nop, 0};
  put(map, 0x91, 0x97, {Form::opcode, Imm::none, Kind::exchange, reads_dst});
  map[0x98] = {Form::none, Imm::none, Kind::sign_extend, 0};     // cdqe
  map[0x99] = {Form::none, Imm::none, Kind::sign_fill, 0};       // cdq, cqo
  put(map, 0xa4, 0xa5, {Form::none, Imm::none, Kind::bulk, 0});  // movs
  map[0xa8] = {Form::acc, Imm::b, Kind::alu, flags(sets_flags | reads_dst | no_dst | byte_op)};
  map[0xa9] = {Form::acc, Imm::z, Kind::alu, flags(sets_flags | reads_dst | no_dst)};
  put(map, 0xaa, 0xab, {Form::none, Imm::none, Kind::bulk, 0});  // stos
  put(map, 0xb0, 0xb7, {Form::opcode, Imm::b, Kind::immediate, byte_op});
  put(map, 0xb8, 0xbf, {Form::opcode, Imm::full, Kind::immediate, 0});
  // Shifts and rotates: by an immediate, by one, by cl.
  map[0xc0] = {Form::rm, Imm::b, Kind::alu, flags(sets_flags | reads_dst | byte_op)};
  map[0xc1] = {Form::rm, Imm::b, Kind::alu, flags(sets_flags | reads_dst)};
  map[0xd0] = map[0xd2] = {Form::rm, Imm::none, Kind::alu, flags(sets_flags | reads_dst | byte_op)};
  map[0xd1] = map[0xd3] = {Form::rm, Imm::none, Kind::alu, flags(sets_flags | reads_dst)};
  map[0xc2] = {Form::none, Imm::w, Kind::ret, 0};
  map[0xc3] = {Form::none, Imm::none, Kind::ret, 0};
  map[0xc6] = {Form::rm, Imm::b, Kind::immediate, byte_op};
  map[0xc7] = {Form::rm, Imm::z, Kind::immediate, 0};
  map[0xc9] = {Form::none, Imm::none, Kind::leave, 0};
  map[0xcc] = {Form::none, Imm::none, Kind::stop, 0};  // int3
  map[0xe8] = {Form::relative, Imm::z, Kind::call, 0};
  map[0xe9] = {Form::relative, Imm::z, Kind::jump, 0};
  map[0xeb] = {Form::relative, Imm::b, Kind::jump, 0};
  map[0xf6] = {Form::rm, Imm::none, Kind::alu, flags(reads_dst | byte_op)};  // group 3
  map[0xf7] = {Form::rm, Imm::none, Kind::alu, reads_dst};
  map[0xfe] = {Form::rm, Imm::none, Kind::alu, flags(sets_flags | reads_dst | byte_op)};
  map[0xff] = {Form::rm, Imm::none, Kind::alu, flags(sets_flags | reads_dst)};  // group 5
  return map;
}

constexpr Map make_two_byte() {
  Map map{};
  const auto vector = [](unsigned f) {
    return Entry{Form::reg_rm, Imm::none, Kind::vector, flags(f | vec_reg | vec_rm)};
  };
  const auto vector_imm = [](unsigned f) {
    return Entry{Form::reg_rm, Imm::b, Kind::vector, flags(f | vec_reg | vec_rm)};
  };
  const auto vector_move = [](Form form) {
    return Entry{form, Imm::none, Kind::move, flags(vec_reg | vec_rm)};
  };
  map[0x0b] = {Form::none, Imm::none, Kind::stop, 0};  // ud2
  put(map, 0x18, 0x1f, {Form::rm, Imm::none, Kind::nop, 0});
  // Moves of vector registers: movups/movss, movlps, movhps, movaps, movnt, movdqa/u, movq.
  for (unsigned op : {0x10u, 0x12u, 0x16u, 0x28u, 0x6fu}) map[op] = vector_move(Form::reg_rm);
  for (unsigned op : {0x11u, 0x13u, 0x17u, 0x29u, 0x2bu, 0x7fu, 0xd6u, 0xe7u})
    map[op] = vector_move(Form::rm_reg);
  map[0x6e] = {Form::reg_rm, Imm::none, Kind::move, vec_reg};          // movd/movq xmm, r/m
  map[0x7e] = {Form::rm_reg, Imm::none, Kind::move, vec_reg};          // movd/movq r/m, xmm
  put(map, 0x14, 0x15, vector(reads_dst));                             // unpcklps, unpckhps
  map[0x2a] = {Form::reg_rm, Imm::none, Kind::vector_float, vec_reg};  // cvtsi2sd
  map[0x2c] = map[0x2d] = {Form::reg_rm, Imm::none, Kind::vector_float, vec_rm};  // cvttsd2si
  map[0x2e] = map[0x2f] = {Form::reg_rm, Imm::none, Kind::floating,
                           flags(vec_reg | vec_rm | sets_flags | no_dst | reads_dst)};  // ucomisd
  map[0x50] = {Form::reg_rm, Imm::none, Kind::vector, vec_rm};                          // movmskps
  put(map, 0x51, 0x53, {Form::reg_rm, Imm::none, Kind::vector_float, flags(vec_reg | vec_rm)});
  put(map, 0x54, 0x57, vector(reads_dst));  // andps andnps orps xorps
  put(map, 0x58, 0x5f,
      {Form::reg_rm, Imm::none, Kind::vector_float, flags(vec_reg | vec_rm | reads_dst)});
  map[0x5a] = map[0x5b] = {Form::reg_rm, Imm::none, Kind::vector_float,
                           flags(vec_reg | vec_rm)};  // cvtss2sd, cvtdq2ps
  put(map, 0x60, 0x6d, vector(reads_dst));            // punpck, pack, pcmpgt
  map[0x70] = vector_imm(0);                          // pshufd
  for (unsigned op : {0x71u, 0x72u, 0x73u})           // shifts by an immediate
    map[op] = {Form::rm, Imm::b, Kind::vector, flags(vec_rm | reads_dst)};
  put(map, 0x74, 0x76, vector(reads_dst));  // pcmpeq
  map[0x7c] = map[0x7d] = map[0xd0] = {Form::reg_rm, Imm::none, Kind::vector_float,
                                       flags(vec_reg | vec_rm | reads_dst)};  // haddps, addsubps
  put(map, 0x40, 0x4f, {Form::reg_rm, Imm::none, Kind::alu, flags(uses_flags | reads_dst)});
  put(map, 0x80, 0x8f, {Form::relative, Imm::z, Kind::branch, uses_flags});
  put(map, 0x90, 0x9f, {Form::rm, Imm::none, Kind::alu, flags(uses_flags | byte_op)});
  map[0xa3] = {Form::rm_reg, Imm::none, Kind::alu, flags(sets_flags | reads_dst | no_dst)};  // bt
  for (unsigned op : {0xabu, 0xb3u, 0xbbu})  // bts btr btc
    map[op] = {Form::rm_reg, Imm::none, Kind::alu, flags(sets_flags | reads_dst)};
  map[0xa4] = map[0xac] = {Form::rm_reg, Imm::b, Kind::alu, flags(sets_flags | reads_dst)};
  map[0xa5] = map[0xad] = {Form::rm_reg, Imm::none, Kind::alu, flags(sets_flags | reads_dst)};
  map[0xae] = {Form::rm, Imm::none, Kind::fence, 0};  // group 15
  map[0xaf] = {Form::reg_rm, Imm::none, Kind::multiply, flags(sets_flags | reads_dst)};
  map[0xb0] = {Form::rm_reg, Imm::none, Kind::exchange, flags(sets_flags | reads_dst | byte_op)};
  map[0xb1] = {Form::rm_reg, Imm::none, Kind::exchange, flags(sets_flags | reads_dst)};
  map[0xb6] = {Form::reg_rm, Imm::none, Kind::zero_extend, byte_op};
  map[0xb7] = {Form::reg_rm, Imm::none, Kind::zero_extend, 0};
  map[0xb8] = {Form::reg_rm, Imm::none, Kind::alu, sets_flags};              // popcnt (F3)
  map[0xba] = {Form::rm, Imm::b, Kind::alu, flags(sets_flags | reads_dst)};  // group 8
  map[0xbc] = map[0xbd] = {Form::reg_rm, Imm::none, Kind::alu, sets_flags};  // tzcnt, lzcnt
  map[0xbe] = {Form::reg_rm, Imm::none, Kind::sign_extend, byte_op};
  map[0xbf] = {Form::reg_rm, Imm::none, Kind::sign_extend, 0};
  map[0xc0] = {Form::rm_reg, Imm::none, Kind::exchange, flags(sets_flags | reads_dst | byte_op)};
  map[0xc1] = {Form::rm_reg, Imm::none, Kind::exchange, flags(sets_flags | reads_dst)};
  map[0xc2] = {Form::reg_rm, Imm::b, Kind::vector_float, flags(vec_reg | vec_rm | reads_dst)};
  map[0xc4] = {Form::reg_rm, Imm::b, Kind::vector, flags(vec_reg | reads_dst)};  // pinsrw
  map[0xc5] = {Form::reg_rm, Imm::b, Kind::vector, vec_rm};                      // pextrw
  map[0xc6] = vector_imm(reads_dst);                                             // shufps
  put(map, 0xc8, 0xcf, {Form::opcode, Imm::none, Kind::alu, reads_dst});         // bswap
  put(map, 0xd1, 0xd5, vector(reads_dst));
  map[0xd7] = {Form::reg_rm, Imm::none, Kind::vector, vec_rm};  // pmovmskb
  put(map, 0xd8, 0xe6, vector(reads_dst));
  map[0xe6] = {Form::reg_rm, Imm::none, Kind::vector_float, flags(vec_reg | vec_rm)};  // cvtdq2pd
  put(map, 0xe8, 0xef, vector(reads_dst));
  put(map, 0xf1, 0xfe, vector(reads_dst));
  map[0xf7] = {};  // maskmovdqu: its memory operand is rdi, left to Capstone
  return map;
}

}  // namespace

constexpr Map one_byte_map = make_one_byte();
constexpr Map two_byte_map = make_two_byte();
const Map one_byte = one_byte_map;
const Map two_byte = two_byte_map;

Kind sse_kind(std::uint8_t opcode, std::uint8_t prefix, Kind table_kind) {
  const bool scalar = prefix == 0xf2 || prefix == 0xf3;
  if (table_kind != Kind::vector_float || !scalar) return table_kind;
  if (opcode == 0x51 || opcode == 0x5e) return Kind::float_divide;            // sqrtsd, divsd
  if (opcode == 0x5b || opcode == 0xe6 || opcode == 0xd0) return table_kind;  // packed all the same
  return opcode == 0x7c || opcode == 0x7d ? table_kind : Kind::floating;
}

}  // namespace aotscope::isa::x86
