import type { Instruction } from '#domain/hook/message.ts'
import type { SenderFields } from './sender-fields.ts'

export type Control = 'cancel' | 'flatten' | 'pause' | 'kill' | 'resume'

export const isControl = (word: string): word is Control =>
  ['cancel', 'flatten', 'pause', 'kill', 'resume'].includes(word)

/** Stopping is done at once; only a person lets trading go on. `symbol`: null for all. */
export function controlled(fields: SenderFields, word: Control, symbol: string | null): Instruction[] | null {
  if (word === 'cancel') return [{ kind: 'cancel', symbol }]
  if (word === 'flatten') return [{ kind: 'flatten' }]
  if (word === 'pause') return [{ kind: 'halt', level: 'pauseEntries' }]
  if (word === 'kill') return [{ kind: 'halt', level: 'reduceOnly' }]
  fields.fault(
    'action',
    'resume_by_person',
    'No message lets trading go on: a person does that, in the web application under Halt',
  )
  return null
}
