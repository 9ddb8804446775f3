/** Calls a callback of the program, whose failure is its own. */
export async function run<T>(callback: ((value: T) => unknown) | undefined, value: T): Promise<void> {
  try {
    await callback?.(value);
  } catch (error) {
    console.error(error);
  }
}
