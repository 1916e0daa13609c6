import { HOUR_MS } from '#domain/time-units.ts'

const options = (zone: string | undefined): Intl.DateTimeFormatOptions =>
  zone === undefined ? {} : { timeZone: zone }
const wallClock = (zone: string | undefined) =>
  new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', ...options(zone) })
const offset = (zone: string | undefined) =>
  new Intl.DateTimeFormat('en-GB', { timeZoneName: 'shortOffset', ...options(zone) })

/**
 * Tells the two hours apart that have the same name in the night in which clocks are put back: " (GMT−4)", then
 * " (GMT−5)". Empty at any other time.
 *
 * @param zone by its IANA name; the device's own without one
 */
export function createRepeatedHour(zone: string | undefined): (at: Date) => string {
  const [clock, zoneName] = [wallClock(zone), offset(zone)]
  return (at) => {
    const isRepeated = [-HOUR_MS, HOUR_MS].some(
      (apart) => clock.format(at) === clock.format(at.getTime() + apart),
    )
    if (!isRepeated) return ''
    const name = zoneName.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? ''
    return ` (${name.replace('-', '−')})`
  }
}
