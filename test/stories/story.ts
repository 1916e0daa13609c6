import type { ScriptedAccount } from '#test/support/scripted-alpaca/account.ts'
import type { Desk } from './desk.ts'
import type { Theatre } from './theatre.ts'

/** Something that a broker once did, and the right end of it. */
export interface Story {
  /** What holds at its end, as the title of its test. */
  title: string
  /** What is so before the service knows the account. */
  prepare?(broker: ScriptedAccount): void
  /** Plays it, and throws where its end is not the right one. */
  play(desk: Desk, theatre: Theatre): Promise<void>
}
