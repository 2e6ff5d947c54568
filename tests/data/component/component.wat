;; Four cores: two workers of different size, then driver.wat's memory and driver.
;; The hot functions are `work_one` (core 0) and `work_two` (core 1).
(component
  (core module $one
    (func $work_one (param $n i32) (param $x i32) (result i32)
      (loop $again
        (local.set $x
          (i32.add
            (i32.mul
              (i32.xor (local.get $x) (i32.shr_u (local.get $x) (i32.const 7)))
              (i32.const 0x9e3779b1))
            (local.get $n)))
        (local.set $n (i32.sub (local.get $n) (i32.const 1)))
        (br_if $again (local.get $n)))
      (local.get $x))
    ;; Called through a table, or wamrc would inline it into `spin`.
    (table 1 funcref)
    (elem (i32.const 0) $work_one)
    (type $work (func (param i32 i32) (result i32)))
    (func $spin (export "spin") (param $n i32) (param $x i32) (result i32)
      (i32.add (i32.const 1)
        (call_indirect (type $work) (local.get $n) (local.get $x) (i32.const 0)))))

  (core module $two
    (func $work_two (param $n i32) (param $x i32) (result i32)
      (loop $again
        (local.set $x
          (i32.add
            (i32.mul
              (i32.xor (local.get $x) (i32.shr_u (local.get $x) (i32.const 7)))
              (i32.const 0x9e3779b1))
            (local.get $n)))
        (local.set $n (i32.sub (local.get $n) (i32.const 1)))
        (br_if $again (local.get $n)))
      (local.get $x))
    ;; Never called: it makes this core's text longer than the other's.
    (global $cell (mut i64) (i64.const 1))
    (func $unused_two (export "unused") (param $n i32) (result i64)
      (loop $again
        (global.set $cell
          (i64.rotl (i64.mul (global.get $cell) (i64.const 0x5851f42d4c957f2d)) (i64.const 9)))
        (local.set $n (i32.sub (local.get $n) (i32.const 1)))
        (br_if $again (local.get $n)))
      (global.get $cell))
    (table 1 funcref)
    (elem (i32.const 0) $work_two)
    (type $work (func (param i32 i32) (result i32)))
    (func $spin (export "spin") (param $n i32) (param $x i32) (result i32)
      (i32.add (i32.const 2)
        (call_indirect (type $work) (local.get $n) (local.get $x) (i32.const 0)))))

  (core instance $one (instantiate $one))
  (core instance $two (instantiate $two))

