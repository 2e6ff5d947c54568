;; Two cores whose texts have the same size and differ in a few bytes only: an
;; image found by size alone is charged with the other's samples.
;; The hot functions are `spin_one` (core 0) and `spin_two` (core 1).
(component
  (core module $one
    (func $spin_one (export "spin") (param $n i32) (param $x i32) (result i32)
      (loop $again
        (local.set $x
          (i32.add
            (i32.mul
              (i32.xor (local.get $x) (i32.shr_u (local.get $x) (i32.const 7)))
              (i32.const 0x9e3779b1))
            (local.get $n)))
        (local.set $n (i32.sub (local.get $n) (i32.const 1)))
        (br_if $again (local.get $n)))
      (local.get $x)))
  (core module $two
    (func $spin_two (export "spin") (param $n i32) (param $x i32) (result i32)
      (loop $again
        (local.set $x
          (i32.add
            (i32.mul
              (i32.xor (local.get $x) (i32.shr_u (local.get $x) (i32.const 5)))
              (i32.const 0x85ebca6b))
            (local.get $n)))
        (local.set $n (i32.sub (local.get $n) (i32.const 1)))
        (br_if $again (local.get $n)))
      (local.get $x)))

  (core instance $one (instantiate $one))
  (core instance $two (instantiate $two))

