#pragma once
#include "app/configuration_problem.h"
#include "domain/catalogue.h"

namespace sendoff::app {

constexpr qint64 maxTemplateBytes = 256 * 1024; // of one file
constexpr int maxTemplateFiles = 5'000;

// Reads catalogue.toml; all mistakes at once, each with line and remedy.
Loaded<Catalogue> loadCatalogue(const QString &path);

// The *.mustache files of a folder by their relative names with forward slashes. Refuses (as problems) files that are
// larger than the limit or no UTF-8, and links that lead out of the folder; other files are left alone.
Loaded<QMap<QString, QByteArray>> loadTemplates(const QString &folder);

// Both, and what the renderer finds wrong in the templates: what `check` and `publish` use. The set's id stays 0.
Loaded<PublishedSet> loadPublishedSet(const QString &cataloguePath, const QString &templatesFolder);

} // namespace sendoff::app
