import { formsOf, type Forms } from '../../http/cached-answer.ts'
import type { Route } from '../../route/route.ts'
import { describeApi } from '../document.ts'
import { chaptersOf } from '../introduction.ts'
import { readReferenceFiles, type ReferenceFile } from './files.ts'
import { referencePage } from './page.ts'

/** For programs and people; holds nothing of any user's. */
export interface ApiReference {
  /** JSON; written and compressed at first use. */
  document(): Forms
  page: string
  files: ReadonlyMap<string, ReferenceFile>
}

export function createReference(routes: readonly Route[]): ApiReference {
  let document: Forms | undefined
  const files = readReferenceFiles()
  return {
    document: () => (document ??= formsOf(JSON.stringify(describeApi(routes)))),
    page: referencePage(files, routes, chaptersOf(routes)),
    files,
  }
}
