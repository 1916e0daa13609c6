import type { ExitRule } from '#domain/exit.ts'
import { ApiError, fault, type Fault } from '../errors.ts'
import type { SignalRequest } from './request.ts'

/** What can be asked for and is not built yet. Each row names the field and the values it still refuses. */
const UNBUILT: { field: string; value: (request: SignalRequest) => unknown; values: readonly unknown[] }[] = [
  { field: 'executeMode', value: (request) => request.executeMode, values: ['scheduled', 'pending'] },
  {
    field: 'quantityType',
    value: (request) => request.quantityType,
    values: ['percentEquity', 'dollarAmount'],
  },
  { field: 'timeInForce', value: (request) => request.timeInForce, values: ['opg', 'cls', 'gtd'] },
  { field: 'exitTriggerType', value: ofExit('trigger'), values: ['minutesBeforeClose', 'atClockTime'] },
  { field: 'exitOrderType', value: ofExit('orderType'), values: ['moc'] },
  { field: 'exitTimeInForce', value: ofExit('timeInForce'), values: ['cls'] },
]

function ofExit(property: keyof ExitRule) {
  return ({ exit }: SignalRequest): unknown => exit?.[property]
}

const notBuilt = (field: string, value: unknown): Fault =>
  fault([field], 'not_implemented', `${field} ${String(value)} is not built yet`)

/** Throws {@link ApiError} NOT_IMPLEMENTED when a valid request asks for what is not built yet, naming all of it. */
export function refuseUnbuilt(request: SignalRequest): void {
  const details = UNBUILT.filter((row) => row.values.includes(row.value(request))).map((row) =>
    notBuilt(row.field, row.value(request)),
  )
  if (details.length > 0) throw new ApiError('NOT_IMPLEMENTED', { details })
}

/** The answer to replaceExisting where there is a signal to replace. */
export const replacementNotBuilt = (): ApiError =>
  new ApiError('NOT_IMPLEMENTED', { details: [notBuilt('replaceExisting', true)] })
