/**
 * The statement that makes DuckDB return free memory of the whole process to the system: setting the memory limit, to what it is, calls the C
 * library to do that. Short-lived threads, large buffers and queries over thousands of windows otherwise fragment the heap (measured: up to
 * 200 MiB). It takes about 15 ms.
 */
export function freeMemory(memoryLimit: string): string {
  return `SET memory_limit = '${memoryLimit}'`
}
