const dollars = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' })
const wholeDollars = new Intl.NumberFormat('en-US', {
  style: 'currency',
  currency: 'USD',
  maximumFractionDigits: 0,
})
const fourPlaces = new Intl.NumberFormat('en-US', { maximumFractionDigits: 4 })
const plain = new Intl.NumberFormat('en-US', { maximumFractionDigits: 9 })
const twoPlaces = new Intl.NumberFormat('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 })

const withMinus = (text: string): string => text.replace('-', '−')
/** Dollars: "$1,874.20", "−$3.00". */
export const money = (amount: number): string => withMinus(dollars.format(amount))
/** Dollars without cents, for a rough sum: "$4,200". */
export const wholeMoney = (amount: number): string => withMinus(wholeDollars.format(amount))
/** Shares: whole ones as they are, fractions with four places: "10", "119.3888". */
export const shares = (quantity: number): string => withMinus(fourPlaces.format(quantity))
/**
 * A part of the shares, as text: whole if they are whole, otherwise rounded down to millionths. Null for none.
 *
 * @param part up to 1, which is all
 */
export function partOf(part: number, all: number, isWhole = Number.isInteger(all)): string | null {
  if (part === 1) return String(all)
  const step = isWhole ? 1 : 1e-6
  const some = Math.floor((all * part) / step) * step
  return some > 0 ? String(Number(some.toFixed(6))) : null
}
/** A number without needless places: "10", "0.125", "−40". */
export const number = (value: number): string => withMinus(plain.format(value))
/** A change in percent with its sign: "+0.36 %", "−0.48 %", "0.00 %". */
export function percent(value: number): string {
  // A change too small to be shown has no sign.
  const shown = Math.round(value * 100) / 100 || 0
  const figure = withMinus(twoPlaces.format(shown))
  return `${shown > 0 ? '+' : ''}${figure} %`
}
const whole = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD', maximumFractionDigits: 0 })
/** A change in whole dollars with its sign: "+$12", "−$3". */
export const wholeGain = (amount: number): string =>
  `${amount >= 0.5 ? '+' : ''}${withMinus(whole.format(Math.round(amount) || 0))}`
/** A change in dollars with its sign: "+$12.40", "−$3.00". */
export const gain = (amount: number): string => `${amount > 0 ? '+' : ''}${money(amount)}`
/** A distance in percent or dollars: "5 %", "$2.00". */
export const distanceWords = ({ percent: part, amount }: { percent?: number; amount?: number }): string =>
  part == null ? money(amount ?? 0) : `${number(part)} %`
