import type { HttpAnswer } from '../http.ts'
import { requestError } from './rejections.ts'
import { readJson } from './wire.ts'

export const isSuccess = ({ status }: HttpAnswer): boolean => status >= 200 && status < 300

/** The JSON of a successful answer to a read; throws the error that any other answer means. */
export function readSuccess(answer: HttpAnswer, what: string): unknown {
  if (!isSuccess(answer)) throw requestError(answer, what)
  return readJson(answer.body, what)
}
