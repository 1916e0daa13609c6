import type { Instruction } from '#domain/hook/message.ts'
import type { HookSettings } from '#domain/hook/settings.ts'
import type { JsonObject } from '../../http/validation/json-body.ts'
import type { SenderFields } from './sender-fields.ts'

/** What a message says by its dialect; what is wrong with it stands in the fields that it was read from. */
export interface Reading {
  instructions: Instruction[]
  /** The sender's name of the alert; null where it has none. */
  name: string | null
  isTest: boolean
}

/** The language of one kind of sender. */
export interface Dialect {
  /** Fields within objects count like those of the message itself. */
  isNested: boolean
  read(fields: SenderFields, settings: HookSettings, body: JsonObject): Reading | null
  /** Messages in words, such as "buy 10 AAPL"; null where they are not taken. */
  readLine: ((line: string, fields: SenderFields, settings: HookSettings) => Reading | null) | null
}
