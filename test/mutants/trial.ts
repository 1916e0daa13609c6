/** A mutant: a file's text with a mistake in it, and the tests that may notice it, in their order. */
export interface Trial {
  name: string
  file: string
  text: string
  tests: readonly string[]
}
