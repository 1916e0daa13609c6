import assert from 'node:assert/strict'
import { closeAtEnd } from './servers.ts'
import { Stack } from './stack.ts'
import type { StackOptions } from './stack-parts.ts'
import { ALL_TIMELINES, timelineFaults, type StoredStep } from './timelines.ts'

/** The service that the files of this process share. */
let shared: Promise<Stack> | undefined

function sharedStack(): Promise<Stack> {
  shared ??= Stack.start().then((stack) => {
    closeAtEnd(() => stack.close())
    return stack
  })
  return shared
}

async function forUserOfItsOwn(): Promise<Stack> {
  const stack = await sharedStack()
  await stack.revive()
  await stack.venue.clearScript()
  return stack.forAnotherUser()
}

/**
 * The whole service for the enclosing `describe`; call at the top of it. Without options it is the one that all files of the
 * process share, for a user of its own with a token and a paper account: such tests start again whatever they have stopped, and
 * read only rows of their user. With options, an empty object too, it is a service of its own. When a test fails, what every
 * part wrote last is printed. When they are over, every timeline is held to its order, unless a bug in a part is what they
 * are about.
 */
export function useStack(
  options?: StackOptions,
  { holdsTimelines = true }: { holdsTimelines?: boolean } = {},
): { readonly stack: Stack } {
  let stack: Stack | undefined
  before(async function () {
    this.timeout(120_000)
    stack = options ? await Stack.start(options) : await forUserOfItsOwn()
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
      if (options) await stack?.close()
      else await stack?.closeClients()
    }
  })
  return {
    get stack() {
      if (!stack) throw new Error('The stack is there while tests run, and not before')
      return stack
    },
  }
}
