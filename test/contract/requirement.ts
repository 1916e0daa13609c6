/** One thing that the specification of the API says, and the tests that show it. */
export interface Requirement {
  /** Of the specification, such as 4.1. */
  section: string
  /** What it is about: a field, a route, a status, a code, a limit. */
  subject: string
  /** What is said of it, in short. */
  says: string
  /** At least one; the coverage test finds each among the titles of the tests that there are. */
  shownBy: readonly Citation[]
}

/** A test by its file and by words of its full title; all tests whose titles hold them are meant. */
export interface Citation {
  file: string
  title: string
}

/** Cites tests of one file, each by words of its title. */
export const inFile =
  (file: string) =>
  (...titles: string[]): Citation[] =>
    titles.map((title) => ({ file, title }))

/** The requirements of a section: subject, what is said, and the tests that show it. */
export const requirements = (
  section: string,
  rows: readonly (readonly [subject: string, says: string, ...shownBy: (Citation | readonly Citation[])[]])[],
): Requirement[] =>
  rows.map(([subject, says, ...shownBy]) => ({ section, subject, says, shownBy: shownBy.flat() }))
