import { setTimeout as sleep } from 'node:timers/promises'
import { familyOf, standStill } from '#test/support/standstill.ts'
import type { PartName } from '#test/support/stack-parts.ts'
import type { Stack } from '#test/support/stack.ts'

/** Something that happens to a part while alerts come in; it is over when `strike` resolves. */
export interface Hiccup {
  title: string
  /** Left out of the short form. */
  isLongOnly?: true
  strike(stack: Stack): Promise<void>
}

/** Longer than the service takes to answer, and shorter than TradingView repeats. */
const STANDSTILL_MS = 2_500
const SLOW_MS = 2_500

export const POSTGRES_STANDS_STILL: Hiccup = {
  title: 'PostgreSQL stands still',
  strike: (stack) => frozen(stack, 'postgres'),
}

export const HICCUPS: readonly Hiccup[] = [
  POSTGRES_STANDS_STILL,
  { title: 'Temporal stands still', strike: (stack) => frozen(stack, 'temporal') },
  {
    title: 'the worker is killed',
    async strike({ parts }) {
      await parts.worker.kill()
      await parts.worker.start()
    },
  },
  { title: 'the API is started again', isLongOnly: true, strike: ({ parts }) => parts.api.restart() },
  {
    title: 'the API is killed',
    async strike({ parts }) {
      await parts.api.kill()
      await parts.api.start()
    },
  },
  {
    title: 'the broker is slow',
    async strike({ venue }) {
      await venue.script([
        { on: 'submit', mode: 'late', hangMs: SLOW_MS },
        { on: 'fill', mode: 'delay', delayMs: SLOW_MS },
      ])
      await sleep(SLOW_MS)
      await venue.clearScript()
    },
  },
]

async function frozen(stack: Stack, name: PartName): Promise<void> {
  const { parent, children } = await familyOf(stack.parts[name].pid)
  const goOn = standStill([parent, ...children])
  try {
    await sleep(STANDSTILL_MS)
  } finally {
    goOn()
  }
}
