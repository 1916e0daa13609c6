import type { Instruction } from '#domain/hook/message.ts'
import type { HookSettings } from '#domain/hook/settings.ts'
import type { JsonObject } from '../../http/validation/json-body.ts'
import type { SenderFields } from './sender-fields.ts'

export interface Reading {
  instructions: Instruction[]
  name: string | null
  isTest: boolean
}

export interface Dialect {
  isNested: boolean
  read(fields: SenderFields, settings: HookSettings, body: JsonObject): Reading | null
  /** Messages in words, such as "buy 10 AAPL"; null where they are not taken. */
  readLine: ((line: string, fields: SenderFields, settings: HookSettings) => Reading | null) | null
}
