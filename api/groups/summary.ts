import { figure } from '#domain/figures.ts'
import { sizeBefore } from '#domain/move-words.ts'
import type { SignalRequest } from '#contract/signals/schema.ts'

export function summaryOf(request: SignalRequest): string {
  const { symbol, action, targetPosition, move } = request
  if (targetPosition !== null) return `${symbol} to a position of ${figure(targetPosition)}`
  if (move === null) return `${action} ${sizeOf(request)} ${symbol}`
  return move.kind === 'close' ? `close ${symbol}` : `${move.direction} ${sizeOf(request)} ${symbol}`
}

const sizeOf = ({ quantity, quantityType }: SignalRequest): string => {
  if (quantityType === 'percentEquity') return `${figure(quantity)} % in`
  return sizeBefore({ quantity, quantityType })
}
