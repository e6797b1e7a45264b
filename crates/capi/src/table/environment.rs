//! Beginning and end, errors, info objects, sessions: the functions of `mpi_environment.h` that we offer.

use super::offers;
use crate::{environment, error_handlers, info, type_constructors};

offers! {
    "MPI_" {
        "Init" environment::init,
        "Init_thread" environment::init_thread,
        "Initialized" environment::initialized,
        "Finalize" environment::finalize,
        "Finalized" environment::finalized,
        "Abort" environment::abort,
        "Query_thread" environment::query_thread,
        "Is_thread_main" environment::is_thread_main,
        "Get_processor_name" environment::get_processor_name,
        "Get_version" environment::get_version,
        "Get_library_version" environment::get_library_version,
        "Wtime" environment::wtime,
        "Wtick" environment::wtick,
        "Alloc_mem" environment::alloc_mem,
        "Free_mem" environment::free_mem,
        "Get_address" type_constructors::get_address,
        "Info_create" info::info_create,
        "Info_create_env" info::info_create_env,
        "Info_set" info::info_set,
        "Info_get" info::info_get,
        "Info_get_string" info::info_get_string,
        "Info_get_valuelen" info::info_get_valuelen,
        "Info_get_nkeys" info::info_get_nkeys,
        "Info_get_nthkey" info::info_get_nthkey,
        "Info_delete" info::info_delete,
        "Info_dup" info::info_dup,
        "Info_free" info::info_free,
        "Comm_create_errhandler" error_handlers::comm_create_errhandler,
        "Comm_set_errhandler" error_handlers::comm_set_errhandler,
        "Comm_get_errhandler" error_handlers::comm_get_errhandler,
        "Comm_call_errhandler" error_handlers::comm_call_errhandler,
        "Errhandler_free" error_handlers::errhandler_free,
        "Error_class" error_handlers::error_class,
        "Error_string" error_handlers::error_string,
        "Add_error_class" error_handlers::add_error_class,
        "Add_error_code" error_handlers::add_error_code,
        "Add_error_string" error_handlers::add_error_string,
        "Remove_error_class" error_handlers::remove_error_class,
        "Remove_error_code" error_handlers::remove_error_code,
        "Remove_error_string" error_handlers::remove_error_string,
    }
}
