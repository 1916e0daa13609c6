import assert from 'node:assert/strict'
import { Stack } from './stack.ts'
import type { StackOptions } from './stack-parts.ts'
import { ALL_TIMELINES, timelineFaults, type StoredStep } from './timelines.ts'

/**
 * The whole service for the enclosing `describe`; call at the top of it. When a test fails, what every part
 * wrote last is printed. When they are over, every timeline that they have produced is held to its order, unless a bug
 * in a part is what they are about.
 */
export function useStack(
  options: StackOptions = {},
  { holdsTimelines = true }: { holdsTimelines?: boolean } = {},
): { readonly stack: Stack } {
  let stack: Stack | undefined
  before(async function () {
    this.timeout(120_000)
    stack = await Stack.start(options)
  })
  afterEach(function () {
    if (this.currentTest?.state === 'failed') console.error(stack?.logs())
  })
  after(async function () {
    this.timeout(60_000)
    try {
      if (stack && holdsTimelines)
        assert.deepEqual(timelineFaults(await stack.query<StoredStep>(ALL_TIMELINES)), [])
    } finally {
      await stack?.close()
    }
  })
  return {
    get stack() {
      if (!stack) throw new Error('The stack is there while tests run, and not before')
      return stack
    },
  }
}
