import { Random } from '#test/chaos/random.ts'
import type { Notes, Strategy } from './emulator.ts'
import type { MessageKind, Script } from './scripts.ts'

const BARS = 8
/** Entries that a strategy may have open. */
const MOST_PYRAMIDING = 3

/** A strategy that does anything that a strategy of its message may do. */
export function anyScript(random: Random, message: MessageKind): Script {
  const sides: readonly ('long' | 'short')[] =
    message === 'target' ? ['long', 'short'] : [random.pick(['long', 'short'] as const)]
  const closes = Array.from({ length: BARS }, () => 100 + random.between(-10, 10))
  const choices = Array.from({ length: BARS }, () => random.between(0, 2 ** 31))
  const pyramiding = random.between(1, MOST_PYRAMIDING)
  return {
    title: 'any strategy',
    message,
    pyramiding,
    closes,
    atClose: (strategy, bar) => act(strategy, new Random(choices[bar]!), sides),
  }
}

function act(strategy: Strategy, random: Random, sides: readonly ('long' | 'short')[]): void {
  const side = random.pick(sides)
  const shares = random.between(1, 12)
  const out: Notes = { alertMessage: strategy.position > 0 ? 'closeLong' : 'closeShort' }
  const name = random.pick(['first', 'second'])
  const enter = (): void =>
    strategy.entry(name, side, shares, { alertMessage: side === 'long' ? 'openLong' : 'openShort' })
  // At no price at which a bar opens: of several targets at one moment the older may come last, after a repetition.
  const price = 100.5 + random.between(-10, 10)
  const ofAny = [
    { weight: 5, item: enter },
    { weight: 2, item: () => strategy.close(name, { shares, ...out }) },
    { weight: 1, item: () => strategy.closeAll(out) },
    { weight: 1, item: () => {} },
    { weight: 2, item: () => strategy.exit({ id: 'limit', of: name, shares, limit: price, ...out }) },
  ]
  const ofSteps = [
    // As an exit of two entries under one name leaves twice under its own.
    { weight: 1, item: () => [1, 2].forEach(() => strategy.close(name, { shares, ...out })) },
    { weight: 1, item: () => ['first', 'second'].forEach((id) => strategy.close(id, out)) },
  ]
  if (strategy.position === 0) enter()
  else random.weighted<() => void>(sides.length > 1 ? ofAny : [...ofAny, ...ofSteps])()
}
