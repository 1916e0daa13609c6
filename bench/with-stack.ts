import { liftOrderLimit } from '#test/support/order-limit.ts'
import type { StackOptions } from '#test/support/stack-parts.ts'
import { Stack } from '#test/support/stack.ts'

/**
 * Runs the whole service as for `npm start`. A failed measurement prints the last lines of its logs.
 *
 * @param api settings of the API beside those of `npm start`
 */
export async function withStack<Result>(
  api: Record<string, string>,
  measure: (stack: Stack) => Promise<Result>,
  { postgres, ...more }: StackOptions = {},
): Promise<Result> {
  const stack = await Stack.start({
    api: { EMBEDDED_WORKER: 'on', ...api },
    worker: null,
    ...more,
    // Tests omit the flushing; an installation must not.
    postgres: { fsync: 'on', full_page_writes: 'on', ...postgres },
  })
  try {
    await liftOrderLimit(stack)
    return await measure(stack)
  } catch (error) {
    console.error(stack.logs())
    throw error
  } finally {
    await stack.close()
  }
}
