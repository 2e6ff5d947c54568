;; One core instantiated twice: its text is in memory at two places, and both
;; have the same name. The hot function is `spin_both` (core 0); a quarter of
;; its samples is in the first copy, the rest in the second.
(component
  (core module $both
    (func $spin_both (export "spin") (param $n i32) (param $x i32) (result i32)
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

  (core instance $one (instantiate $both))
  (core instance $two (instantiate $both))

