/**
 * Named places at which a test makes a process die, hang or fail. Set `FAILPOINT=name:crash|hang|throw`, optionally
 * `:N` to spare the first N-1 passes. Without the variable, as in production, a place is a comparison with undefined.
 */
const armed = process.env['FAILPOINT']
const [armedName, mode, pass = '1'] = armed?.split(':') ?? []
let passes = 0

export function failpoint(name: string): void | Promise<void> {
  if (armed === undefined || name !== armedName) return
  passes += 1
  if (passes !== Number(pass)) return
  process.stderr.write(`failpoint ${name}: ${mode}\n`)
  if (mode === 'crash') process.kill(process.pid, 'SIGKILL')
  if (mode === 'throw') throw new Error(`failpoint ${name}`)
  return new Promise(() => {})
}
