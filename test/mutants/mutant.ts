/** A mistake in one place of the code, and the tests that have to notice it. */
export interface Mutant {
  file: string
  /** What goes wrong, in words. */
  mistake: string
  /** Occurs exactly once in the file. */
  find: string
  replacement: string
  tests: readonly string[]
}

export const nameOf = ({ file, mistake }: Pick<Mutant, 'file' | 'mistake'>): string => `${file}: ${mistake}`

/** Mistakes by what goes wrong: the text that is found, and what takes its place. */
type Mistakes = Record<string, readonly [find: string, replacement: string]>

export const inFile = (file: string, tests: readonly string[], mistakes: Mistakes): Mutant[] =>
  Object.entries(mistakes).map(([mistake, [find, replacement]]) => ({
    file,
    mistake,
    find,
    replacement,
    tests,
  }))
