import { formsOf, type Forms, tagOf } from '../../http/cached-answer.ts'
import type { Route } from '../../route/route.ts'
import { describeApi, operationIdOf } from '../document.ts'
import { chaptersOf } from '../introduction.ts'
import { readFileSync } from 'node:fs'

interface ReferenceFile {
  name: string
  bytes: Buffer
  tag: string
}

const ADDRESSES: Readonly<Record<string, string>> = {
  'swagger-ui.css': import.meta.resolve('swagger-ui-dist/swagger-ui.css'),
  'swagger-ui-bundle.js': import.meta.resolve('swagger-ui-dist/swagger-ui-bundle.js'),
  'reference.css': import.meta.resolve('./reference.css'),
  'start.js': import.meta.resolve('./start.js'),
}

const readReferenceFiles = (): ReadonlyMap<string, ReferenceFile> =>
  new Map(
    Object.entries(ADDRESSES).map(([name, address]) => {
      const bytes = readFileSync(new URL(address))
      return [name, { name, bytes, tag: tagOf(bytes) }]
    }),
  )

export interface ApiReference {
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

const referencePage = (
  files: ReadonlyMap<string, ReferenceFile>,
  routes: readonly Route[],
  chapters: readonly string[],
): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Durable Trader API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${addressOf(files, 'swagger-ui.css')}">
<link rel="stylesheet" href="${addressOf(files, 'reference.css')}">
</head>
<body>
<nav aria-label="Contents">
<a class="title" href="/docs">Durable Trader API</a>
<a href="#first-steps">First steps</a>
<a href="#rules-of-the-house">Rules of the house</a>
<a href="#errors">Errors</a>
${chapters.map((chapter) => chapterOf(chapter, routes)).join('\n')}
<a href="/openapi.json">OpenAPI 3.1 document</a>
</nav>
<main id="reference"></main>
<script src="${addressOf(files, 'swagger-ui-bundle.js')}"></script>
<script src="${addressOf(files, 'start.js')}"></script>
</body>
</html>
`

const addressOf = (files: ReadonlyMap<string, ReferenceFile>, name: string): string =>
  `/docs/${name}?v=${files.get(name)!.tag}`

function chapterOf(chapter: string, routes: readonly Route[]): string {
  const own = routes.filter(({ tag }) => tag === chapter)
  const links = own.map(({ name, method, summary }) => {
    const place = `#/${encodeURIComponent(chapter)}/${operationIdOf(name)}`
    return `<li><a href="${place}"><b class="${method.toLowerCase()}">${method}</b> ${escape(summary)}</a></li>`
  })
  return `<details><summary>${escape(chapter)}</summary><ul>${links.join('')}</ul></details>`
}

const escape = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
