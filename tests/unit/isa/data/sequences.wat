;; One function for each sequence of the compiler's back end that the isa room knows. Made into
;; sequences.cwasm by
;;   wat2wasm --debug-names sequences.wat -o sequences.wasm
;;   WAMR_AOT_SPILL_METRIC=1 wamrc compile sequences.wasm -o sequences.cwasm 2> sequences.spill.log
;; with wamrc-bin 3.0.0.dev5; the log keeps the metric lines only.
(module
  (import "wasi_snapshot_preview1" "sched_yield" (func $yield (result i32)))
  (type $binary (func (param i32 i32) (result i32)))
  (memory (export "memory") 1)
  (table $table 3 funcref)
  (elem (table $table) (i32.const 0) func $add $xor $switch)
  (global $count (mut i32) (i32.const 5))
  (global $ratio (mut f64) (f64.const 5))

  (func $add (type $binary) (i32.add (local.get 0) (local.get 1)))
  (func $xor (type $binary) (i32.xor (local.get 0) (i32.shl (local.get 1) (i32.const 3))))

  (func $switch (type $binary) ;; br_table, two tables
    (block $a (block $b (block $c (block $d
      (br_table $a $b $c $d (local.get 0)))
      (return (i32.const 40)))
      (return (i32.mul (local.get 1) (i32.const 31))))
      (return (i32.rotl (local.get 1) (i32.const 7))))
    (block $e (block $f (block $g
      (br_table $e $f $g (local.get 1)))
      (return (i32.const 50)))
      (return (i32.const 60)))
    (i32.const 70))

  (func $indirect (param i32 i32) (result i32) ;; call_indirect, call, host call
    (call_indirect $table (type $binary)
      (call $add (local.get 1) (call $yield)) (local.get 1) (local.get 0)))

  (func $memory (param i32 i32 i32) (result i32) ;; checks, loads and stores of all sizes, bulk
    (i64.store offset=8 (local.get 0) (i64.load8_s (local.get 1)))
    (i32.store16 (local.get 0) (i32.load16_u offset=70000 (local.get 1)))
    (f64.store (local.get 0) (f64.load (local.get 1)))
    (memory.copy (local.get 0) (local.get 1) (local.get 2))
    (memory.fill (local.get 0) (local.get 1) (local.get 2))
    (i32.add (memory.size) (memory.grow (local.get 2))))

  (func $globals (result i32)
    (global.set $count (i32.add (global.get $count) (call $yield)))
    (global.set $ratio (f64.sqrt (f64.div (global.get $ratio) (f64.const 3))))
    (global.get $count))

  (func $numbers (param i64 i64 f64 f32) (result i64)
    (i64.add
      (i64.add (i64.div_s (local.get 0) (local.get 1)) (i64.rem_u (local.get 1) (local.get 0)))
      (i64.add (i64.trunc_f64_s (local.get 2))
        (select (i64.popcnt (local.get 0)) (i64.clz (local.get 1))
          (f32.gt (f32.nearest (local.get 3)) (f32.const 1))))))

  ;; Seven arguments and more go to the stack.
  (func $wide (param i64 i64 i64 i64 i64 i64 i64 i64 i64) (result i64)
    (i64.store (i32.const 0) (local.get 0)) (i64.store (i32.const 8) (local.get 1))
    (i64.store (i32.const 16) (local.get 2)) (i64.store (i32.const 24) (local.get 3))
    (i64.store (i32.const 32) (local.get 4)) (i64.store (i32.const 40) (local.get 5))
    (i64.store (i32.const 48) (local.get 6)) (i64.store (i32.const 56) (local.get 7))
    (if (result i64) (i64.eqz (local.get 8)) (then (i64.const 1))
      (else (call $wide (local.get 1) (local.get 2) (local.get 3) (local.get 4) (local.get 5)
        (local.get 6) (local.get 7) (local.get 8) (i64.sub (local.get 8) (i64.const 1))))))

  ;; More values alive than registers: spills.
  (func $pressure (param i64 i64 i64 i64 i32) (result i64)
    (local i64 i64 i64 i64 i64 i64 i64 i64 i64 i64)
    (local.set 5 (i64.xor (local.get 0) (local.get 1))) (local.set 6 (i64.mul (local.get 1) (i64.const 3)))
    (local.set 7 (i64.add (local.get 2) (local.get 3))) (local.set 8 (i64.sub (local.get 3) (local.get 0)))
    (local.set 9 (i64.mul (local.get 0) (i64.const 7))) (local.set 10 (i64.or (local.get 1) (i64.const 9)))
    (local.set 11 (i64.mul (local.get 2) (i64.const 5))) (local.set 12 (i64.add (local.get 3) (i64.const 11)))
    (local.set 13 (i64.xor (local.get 0) (local.get 3))) (local.set 14 (i64.add (local.get 1) (local.get 2)))
    (loop $again
      (local.set 0 (i64.add (local.get 0) (local.get 5))) (local.set 1 (i64.xor (local.get 1) (local.get 6)))
      (local.set 2 (i64.add (local.get 2) (local.get 7))) (local.set 3 (i64.xor (local.get 3) (local.get 8)))
      (local.set 5 (i64.add (local.get 5) (local.get 9))) (local.set 6 (i64.xor (local.get 6) (local.get 10)))
      (local.set 7 (i64.add (local.get 7) (local.get 11))) (local.set 8 (i64.xor (local.get 8) (local.get 12)))
      (local.set 9 (i64.add (local.get 9) (local.get 13))) (local.set 10 (i64.xor (local.get 10) (local.get 14)))
      (local.set 11 (i64.add (local.get 11) (local.get 0))) (local.set 12 (i64.xor (local.get 12) (local.get 1)))
      (local.set 13 (i64.add (local.get 13) (local.get 2))) (local.set 14 (i64.xor (local.get 14) (local.get 3)))
      (br_if $again (local.tee 4 (i32.sub (local.get 4) (i32.const 1)))))
    (i64.add (i64.add (i64.add (local.get 0) (local.get 1)) (i64.add (local.get 2) (local.get 3)))
      (i64.add (i64.add (i64.add (local.get 5) (local.get 6)) (i64.add (local.get 7) (local.get 8)))
        (i64.add (i64.add (local.get 9) (local.get 10))
          (i64.add (i64.add (local.get 11) (local.get 12)) (i64.add (local.get 13) (local.get 14)))))))

  (func (export "_start")
    (drop (call $indirect (i32.const 1) (call $globals)))
    (drop (call $memory (i32.const 1024) (i32.const 2048) (i32.const 16)))
    (drop (call $numbers (i64.const 9) (i64.const 4) (f64.const 2.5) (f32.const 1.5)))
    (drop (call $wide (i64.const 1) (i64.const 2) (i64.const 3) (i64.const 4) (i64.const 5)
      (i64.const 6) (i64.const 7) (i64.const 8) (i64.const 9)))
    (drop (call $pressure (i64.const 1) (i64.const 2) (i64.const 3) (i64.const 4) (i32.const 9)))))
