import type { Failure, FileResult } from './lane-messages.ts'

/** What a person sees of a run: failures as they come, a line for each file, with the files done of all and the time. */
export class Progress {
  /** Seconds by file. */
  readonly seconds: Record<string, number> = {}
  readonly #total: number
  readonly #beganAt = performance.now()

  constructor(total: number) {
    this.#total = total
  }

  readonly failed = ({ file, title, error }: Failure): void =>
    console.log(`\n  FAILED ${title}\n  in ${file}\n\n${error}\n`)

  /** Answers a function that says that the file has ended; its own report is printed where it failed. */
  begin(file: string): (result: FileResult, report: string) => void {
    const beganAt = performance.now()
    return ({ passed, skipped, failures }, report) => {
      this.seconds[file] = (performance.now() - beganAt) / 1_000
      if (failures.length > 0) process.stdout.write(report)
      const counts = [`${passed} passed`, ...count(failures.length, 'FAILED'), ...count(skipped, 'skipped')]
      const done = String(Object.keys(this.seconds).length).padStart(String(this.#total).length)
      const took = `${this.seconds[file].toFixed(1)} s`
      console.log(
        `  ${done} of ${this.#total}, ${clock(performance.now() - this.#beganAt)}  ${file}: ${counts.join(', ')}, ${took}`,
      )
    }
  }
}

const count = (number: number, word: string): string[] => (number === 0 ? [] : [`${number} ${word}`])

/** Minutes and seconds, such as 3:07. */
export function clock(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1_000)
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}

/** The ten files that took longest, a line each. */
export const slowestTen = (seconds: Readonly<Record<string, number>>): string =>
  Object.entries(seconds)
    .toSorted(([, one], [, other]) => other - one)
    .slice(0, 10)
    .map(([file, took]) => `  ${took.toFixed(1).padStart(6)} s  ${file}`)
    .join('\n')
