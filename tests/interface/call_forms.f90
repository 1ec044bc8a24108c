! SPDX-License-Identifier: BSD-3-Clause
! The interface as Fortran sees it: one function of each calling form through ISO C binding. The device is the
! first argument; ends with 0 only on right results.
module garray
    use, intrinsic :: iso_c_binding
    implicit none

    integer(c_int), parameter :: GARRAY_OK = 0, GARRAY_ERR_SHAPE = 2
    integer(c_int), parameter :: GARRAY_DTYPE_DEFAULT = 0, GARRAY_FLOAT64 = 13

    type, bind(C) :: garray_device
        integer(c_int32_t) :: type = 0, index = 0
    end type
    type, bind(C) :: garray_operand
        integer(c_int32_t) :: kind = 0, flags = 0
        type(c_ptr) :: array = c_null_ptr
        integer(c_int64_t) :: bits(2) = 0
    end type
    type, bind(C) :: garray_shape
        integer(c_int64_t) :: n = 0
        type(c_ptr) :: v = c_null_ptr
    end type
    type, bind(C) :: garray_axes
        integer(c_int64_t) :: n = 0
        type(c_ptr) :: v = c_null_ptr
    end type
    type, bind(C) :: garray_list
        integer(c_int64_t) :: n = 0
        type(c_ptr) :: v = c_null_ptr
    end type
    type, bind(C) :: garray_index
        integer(c_int32_t) :: kind = 0, has = 0
        integer(c_int64_t) :: start = 0, stop = 0, step = 1
        type(c_ptr) :: array = c_null_ptr
    end type
    type, bind(C) :: garray_indices
        integer(c_int64_t) :: n = 0
        type(c_ptr) :: v = c_null_ptr
    end type
    type, bind(C) :: garray_reduce_opts
        integer(c_int32_t) :: keepdims = 0, dtype = 0
        type(garray_operand) :: initial, where
        integer(c_int64_t) :: reserved(8) = 0
    end type

    interface
        integer(c_int) function garray_device_parse(text, device) bind(C)
            import
            character(kind=c_char), intent(in) :: text(*)
            type(garray_device), intent(out) :: device
        end function
        integer(c_int) function garray_arange(start, stop, step, dtype, device, out) bind(C)
            import
            type(garray_operand), value :: start, stop, step
            integer(c_int), value :: dtype
            type(garray_device), value :: device
            type(c_ptr), intent(inout) :: out
        end function
        integer(c_int) function garray_reshape(x, shape, out) bind(C)
            import
            type(c_ptr), value :: x
            type(garray_shape), value :: shape
            type(c_ptr), intent(inout) :: out
        end function
        integer(c_int) function garray_add(a, b, out) bind(C)
            import
            type(garray_operand), value :: a, b
            type(c_ptr), intent(inout) :: out
        end function
        ! The same with garray_into(x), which is a mark and no address.
        integer(c_int) function garray_add_into(a, b, out) bind(C, name="garray_add")
            import
            type(garray_operand), value :: a, b
            type(c_ptr), value :: out
        end function
        type(c_ptr) function garray_into(x) bind(C)
            import
            type(c_ptr), value :: x
        end function
        integer(c_int) function garray_sum(x, axes, opts, out) bind(C)
            import
            type(c_ptr), value :: x
            type(garray_axes), value :: axes
            type(garray_reduce_opts), intent(in) :: opts
            type(c_ptr), intent(inout) :: out
        end function
        integer(c_int) function garray_concat(arrays, axis, out) bind(C)
            import
            type(garray_list), value :: arrays
            integer(c_int), value :: axis
            type(c_ptr), intent(inout) :: out
        end function
        integer(c_int) function garray_getitem(x, items, out) bind(C)
            import
            type(c_ptr), value :: x
            type(garray_indices), value :: items
            type(c_ptr), intent(inout) :: out
        end function
        integer(c_int) function garray_item(x, dtype, value) bind(C)
            import
            type(c_ptr), value :: x
            integer(c_int), value :: dtype
            real(c_double), intent(out) :: value
        end function
        integer(c_int64_t) function garray_size(x) bind(C)
            import
            type(c_ptr), value :: x
        end function
        subroutine garray_release(x) bind(C)
            import
            type(c_ptr), value :: x
        end subroutine
    end interface

contains

    function of_array(x) result(o)
        type(c_ptr), intent(in) :: x
        type(garray_operand) :: o
        o%kind = 1
        o%array = x
    end function

    function of_number(v) result(o)
        real(c_double), intent(in) :: v
        type(garray_operand) :: o
        o%kind = 5
        o%bits(1) = transfer(v, o%bits(1))
    end function

    subroutine expect(ok, what)
        logical, intent(in) :: ok
        character(*), intent(in) :: what
        if (ok) return
        write (*, *) "wrong: ", what
        stop 1
    end subroutine
end module

program call_forms
    use garray
    implicit none
    type(garray_device) :: device
    type(garray_operand) :: none
    type(garray_reduce_opts) :: opts
    type(garray_index), target :: items(2)
    type(c_ptr), target :: pair(2)
    integer(c_int64_t), target :: lengths(2) = [2_c_int64_t, 3_c_int64_t]
    integer(c_int32_t), target :: axis(1) = [-1_c_int32_t]
    type(c_ptr) :: x = c_null_ptr, y = c_null_ptr, z = c_null_ptr
    character(len=32) :: name = "cpu"
    real(c_double) :: value

    call expect(c_sizeof(none) == 32 .and. c_sizeof(opts) == 136 .and. c_sizeof(items(1)) == 40, "layouts")
    if (command_argument_count() > 0) call get_command_argument(1, name)
    call expect(garray_device_parse(trim(name)//c_null_char, device) == GARRAY_OK, "device_parse")
    call expect(garray_arange(none, of_number(6d0), none, GARRAY_FLOAT64, device, x) == GARRAY_OK, "arange")
    call expect(garray_reshape(x, garray_shape(2, c_loc(lengths)), x) == GARRAY_OK, "reshape")
    call expect(garray_add(of_array(x), of_number(0.5d0), y) == GARRAY_OK, "add")

    opts%keepdims = 1
    opts%initial = of_number(1d0)
    call expect(garray_sum(y, garray_axes(1, c_loc(axis)), opts, z) == GARRAY_OK, "sum")
    call expect(garray_size(z) == 2, "keepdims")

    ! y[1, ::-1] += 1, through a view
    items(1)%kind = 1
    items(1)%start = 1
    items(2)%kind = 2
    items(2)%has = 4
    items(2)%step = -1
    call expect(garray_getitem(y, garray_indices(2, c_loc(items)), z) == GARRAY_OK, "getitem")
    call expect(garray_add_into(of_array(z), of_number(1d0), garray_into(z)) == GARRAY_OK, "add into")

    pair = [x, y]
    call expect(garray_concat(garray_list(2, c_loc(pair)), 0_c_int, z) == GARRAY_OK, "concat")
    opts = garray_reduce_opts()
    call expect(garray_sum(z, garray_axes(0, c_null_ptr), opts, z) == GARRAY_OK, "sum of all")
    call expect(garray_item(z, GARRAY_FLOAT64, value) == GARRAY_OK, "item")
    call expect(abs(value - 36) < 1d-12, "value")

    call garray_release(x)
    call garray_release(y)
    call garray_release(z)
end program
