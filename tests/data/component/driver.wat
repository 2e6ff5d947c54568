  ;; The second half of every component here; the first half, NAME.wat, opens
  ;; `(component` and defines the core instances $one and $two, each exporting
  ;; `spin`. A round calls $one's once and $two's three times with the same
  ;; work, about 20 ms in all: a quarter of the samples belongs to $one.
  ;;
  ;; usage: wamr run NAME.wasm [ROUNDS]; 100 without, 0 runs until killed.
  (import "wasi:cli/environment@0.2.3" (instance $environment
    (export "get-arguments" (func (result (list string))))))

  ;; Lowering get-arguments needs a memory and an allocator before the driver,
  ;; which imports the lowered function, can exist: hence a core of their own.
  (core module $memory
    (memory (export "memory") 2)
    (global $top (mut i32) (i32.const 1024))
    (func $realloc (export "realloc")
      (param $old i32) (param $old_size i32) (param $align i32) (param $size i32) (result i32)
      (local $at i32)
      ;; Rounded up to 16, whatever was asked; nothing is ever freed.
      (local.set $at (global.get $top))
      (global.set $top
        (i32.and (i32.add (i32.add (local.get $at) (local.get $size)) (i32.const 15))
                 (i32.const -16)))
      (local.get $at)))
  (core instance $memory (instantiate $memory))
  (alias core export $memory "memory" (core memory $shared))
  (alias core export $memory "realloc" (core func $allocate))
  (alias export $environment "get-arguments" (func $arguments))
  (core func $get_arguments
    (canon lower (func $arguments)
      (memory $shared) (realloc $allocate)))

  (core module $driver
    (import "memory" "memory" (memory 2))
    (import "host" "get-arguments" (func $get_arguments (param i32)))
    (import "one" "spin" (func $one (param i32 i32) (result i32)))
    (import "two" "spin" (func $two (param i32 i32) (result i32)))

    ;; The first argument after the program's name, a decimal number.
    (func $rounds (result i32)
      (local $entry i32) (local $at i32) (local $end i32) (local $value i32)
      (call $get_arguments (i32.const 16))
      (if (i32.lt_u (i32.load (i32.const 20)) (i32.const 2))
        (then (return (i32.const 100))))
      (local.set $entry (i32.load (i32.const 16)))
      (local.set $at (i32.load offset=8 (local.get $entry)))
      (local.set $end (i32.add (local.get $at) (i32.load offset=12 (local.get $entry))))
      (block $done
        (loop $digit
          (br_if $done (i32.ge_u (local.get $at) (local.get $end)))
          (local.set $value
            (i32.add (i32.mul (local.get $value) (i32.const 10))
                     (i32.sub (i32.load8_u (local.get $at)) (i32.const 48))))
          (local.set $at (i32.add (local.get $at) (i32.const 1)))
          (br $digit)))
      (local.get $value))

    (func $run (export "run") (result i32)
      (local $left i32) (local $x i32)
      (local.set $left (call $rounds))
      (loop $again
        (local.set $x (call $one (i32.const 2000000) (local.get $x)))
        (local.set $x (call $two (i32.const 2000000) (local.get $x)))
        (local.set $x (call $two (i32.const 2000000) (local.get $x)))
        (local.set $x (call $two (i32.const 2000000) (local.get $x)))
        ;; From 0 it wraps and never comes back in a lifetime.
        (local.set $left (i32.sub (local.get $left) (i32.const 1)))
        (br_if $again (local.get $left)))
      (i32.store (i32.const 0) (local.get $x))
      (i32.const 0)))
  (core instance $driver (instantiate $driver
    (with "memory" (instance $memory))
    (with "host" (instance (export "get-arguments" (func $get_arguments))))
    (with "one" (instance $one))
    (with "two" (instance $two))))

  (alias core export $driver "run" (core func $entry))
  (func $run (result (result)) (canon lift (core func $entry)))
  (instance $exported (export "run" (func $run)))
  (export "wasi:cli/run@0.2.3" (instance $exported)))
