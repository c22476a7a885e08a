package fetch

import (
	"strings"
	"testing"
)

// TestStandInsOfManyKinds are what vendors, programs and languages put in a page's place, each as it looks in use.
func TestStandInsOfManyKinds(t *testing.T) {
	for _, c := range []struct {
		name string
		want Outcome
		body string
	}{
		{"hcaptcha interstitial", Blocked, `<html><head><title>Please verify</title><script src="https://hcaptcha.com/1/api.js" async defer></script></head><body><h1>One more step</h1><p>Please complete the security check to access www.shop.example</p><div class="h-captcha" data-sitekey="abc"></div></body></html>`},
		{"turnstile page", Blocked, `<html><head><title>Security check</title></head><body><p>Verifying…</p><div class="cf-turnstile" data-sitekey="0x4AAA"></div><script src="https://challenges.cloudflare.com/turnstile/v0/api.js"></script></body></html>`},
		{"google sorry", Blocked, `<html><head><title>https://www.google.com/search?q=x</title></head><body><form id="captcha-form" action="index" method="post"><script src="https://www.google.com/recaptcha/api.js"></script><div id="recaptcha" class="g-recaptcha" data-sitekey="6Lf"></div></form><hr><div>About this page<br>Our systems have detected unusual traffic from your computer network.  This page checks to see if it's really you sending the requests, and not a robot.  Why did this happen?</div></body></html>`},
		{"amazon robot check", Blocked, `<html><head><title dir="ltr">Amazon.com</title></head><body><h4>Enter the characters you see below</h4><p>Sorry, we just need to make sure you're not a robot. For best results, please make sure your browser is accepting cookies.</p><form action="/errors/validateCaptcha"><h4>Type the characters you see in this image:</h4><img src="x.jpg"><input type="text" id="captchacharacters"><button>Continue shopping</button></form></body></html>`},
		{"amazon new", Blocked, `<html><head><title dir="ltr">Amazon.com</title></head><body><h4>Click the button below to continue shopping</h4><form method="get" action="/errors/validateCaptcha" name=""><button type="submit">Continue shopping</button></form><a href="x">Conditions of Use</a></body></html>`},
		{"F5 js challenge", Blocked, `<html><head><meta http-equiv="Pragma" content="no-cache"/><script>window["bobcmn"] = "111110101010102";</script><script src="/TSPD/08abc?type=7"></script><noscript>Please enable JavaScript to view the page content.<br/>Your support ID is: 123.</noscript></head><body></body></html>`},
		{"radware", Blocked, `<html><head><title>Radware Bot Manager Captcha</title></head><body><h1>We apologize for the inconvenience...</h1><p>...but your activity and behavior on this site made us think that you are a bot.</p><p>Note: A number of things could be going on here.</p><ul><li>If you are attempting to access this site using an anonymous Private/Proxy network, please disable that and try accessing site again.</li></ul><p>Please solve this CAPTCHA to request unblock to the website</p></body></html>`},
		{"reblaze", Blocked, `<html><head><meta charset="utf-8"><script>window.rbzns={bereshit:"1",seed:"x"};</script><script src="/c3650cdf-216a-4ba2-80b0-9d6c540b105e58d2670b"></script></head><body></body></html>`},
		{"wordfence", Blocked, `<html><head><title>Your access to this site has been limited</title></head><body><h1>Your access to this site has been limited by the site owner</h1><p>Your access to this service has been limited. (HTTP response code 503)</p><p>If you think you have been blocked in error, contact the owner of this site for assistance.</p><h2>Block Technical Data</h2><p>Block Reason: Access from your area has been temporarily limited for security reasons.</p></body></html>`},
		{"sucuri block", Blocked, `<title>Sucuri WebSite Firewall - Access Denied</title><h1>Access Denied - Sucuri Website Firewall</h1><p>If you are the site owner (or you manage this site), please whitelist your IP or if you think this block is an error please open a support ticket.</p><table><tr><td>Your IP:</td><td>1.2.3.4</td></tr><tr><td>Block reason:</td><td>Exploit attempt was denied.</td></tr></table>`},
		{"go-away", Blocked, `<html><head><title>Checking you are not a bot</title></head><body><h1>Checking you are not a bot</h1><p>Why am I seeing this? You are seeing this because the administrator of this website has set up go-away to protect the server against the scourge of AI companies aggressively scraping websites.</p><noscript>Sadly, you must enable JavaScript to get past this challenge.</noscript></body></html>`},
		{"anubis", Blocked, `<!doctype html><html lang="en"><head><title>Making sure you&#39;re not a bot!</title><link rel="stylesheet" href="/.within.website/x/xess/xess.css"></head><body><main><h1 id="title">Making sure you&#39;re not a bot!</h1><p id="status">Loading...</p><script async type="module" src="/.within.website/x/cmd/anubis/static/js/main.mjs"></script><details><summary>Why am I seeing this?</summary><p>You are seeing this because the administrator of this website has set up Anubis to protect the server against the scourge of AI companies aggressively scraping websites. This can and does cause downtime for the websites, which makes their resources inaccessible for everyone.</p><p>Anubis is a compromise. Anubis uses a Proof-of-Work scheme in the vein of Hashcash.</p></details></main></body></html>`},
		{"anubis old denied", Blocked, `<title>Oh noes!</title><h1>Oh noes!</h1><p>Access Denied: error code 8f9b</p><p>Protected by Anubis from Techaro. Made with love in Canada.</p><a href="/.within.website/">Mascot</a>`},
		{"cerberus/haproxy pow", Blocked, `<html><head><title>Bot verification</title></head><body><h1>Checking your browser for robots</h1><noscript><p>JavaScript is required on this page.</p></noscript><script>/*pow*/</script></body></html>`},
		{"basedflare", Blocked, `<!DOCTYPE html><html><head><title>Hold on...</title></head><body data-pow="1"><h3>Checking your browser</h3><p>Proof-of-work in progress</p></body></html>`},
		{"stackpath", Blocked, `<html><head><title>StackPath</title></head><body><h1>Site Verification</h1><p>This website is using a security service to protect itself from online attacks. Please stand by, while we are checking your browser...</p></body></html>`},
		{"fastly", Blocked, `<html><head><title>Client Challenge</title></head><body><noscript><div class="noscript-container">JavaScript is disabled in your browser. Please enable JavaScript to proceed.</div></noscript><div id="loading-error">A required part of this site couldn’t load. This may be due to a browser extension, network issues, or browser settings.</div><script src="/_fs-ch-1T1wmsGaOgGaSxcX/script.js"></script></body></html>`},
		{"ebay pardon", Blocked, `<html><head><title>Pardon Our Interruption...</title></head><body><h1>Pardon Our Interruption...</h1><p>As you were browsing something about your browser made us think you were a bot. There are a few reasons this might happen:</p><ul><li>You're a power user moving through this website with super-human speed.</li></ul></body></html>`},
		{"ebay checking", Blocked, `<html><head><title>Checking your browser before you access eBay</title></head><body><p>Checking your browser before you access eBay. Your browser will redirect to your requested content shortly. Reference ID: x</p></body></html>`},
		{"linkedin 200", Blocked, `<html><head><script type="text/javascript">window.onload = function() { var trk = "bf"; window.location.href = "https://www.linkedin.com/authwall?trk=" + trk; }</script></head></html>`},
		{"yandex smartcaptcha", Blocked, `<html><head><title>Are you not a robot?</title></head><body><form action="/checkcaptcha?key=x"><div class="CheckboxCaptcha"><input type="button" aria-label="SmartCaptcha: click to verify">I'm not a robot</div></form><p>Please confirm that you and not a robot are sending requests</p></body></html>`},
		{"yandex russian", Blocked, `<html><head><title>Вы не робот?</title></head><body><h1>Подтвердите, что запросы отправляли вы, а не робот</h1><p>Нам очень жаль, но запросы с вашего устройства похожи на автоматические.</p><div>Я не робот</div></body></html>`},
		{"naver/korean", Blocked, `<title>접근 제한</title><h1>자동화된 접근이 감지되었습니다</h1><p>로봇이 아님을 확인해 주세요.</p>`},
		{"chinese", Blocked, `<title>安全验证</title><h1>请完成安全验证</h1><p>检测到您的访问异常，请完成验证后继续访问。</p>`},
		{"japanese", Blocked, `<title>アクセス制限</title><p>お使いのネットワークから通常と異なるトラフィックが検出されました。ロボットではないことを確認してください。</p>`},
		{"spanish", Blocked, `<title>Verificación</title><h1>Verifica que eres humano</h1><p>Para continuar, completa la verificación de seguridad.</p>`},
		{"french", Blocked, `<title>Vérification</title><h1>Vérification de sécurité</h1><p>Veuillez confirmer que vous n'êtes pas un robot pour continuer.</p>`},
		{"italian", Blocked, `<title>Controllo</title><p>Conferma di non essere un robot per continuare la navigazione.</p>`},
		{"dutch", Blocked, `<title>Controle</title><p>Bevestig dat je geen robot bent om verder te gaan.</p>`},
		{"portuguese", Blocked, `<title>Verificação</title><p>Confirme que você não é um robô para continuar.</p>`},
		{"polish", Blocked, `<title>Weryfikacja</title><p>Potwierdź, że nie jesteś robotem, aby kontynuować.</p>`},
		{"cloudflare 1020", Blocked, `<html><head><title>Access denied | www.shop.example used Cloudflare to restrict access</title></head><body><h1>Error 1020</h1><h2>Access denied</h2><p>What happened? This website is using a security service to protect itself from online attacks.</p><p>Cloudflare Ray ID: 7d</p></body></html>`},
		{"cloudflare block", Blocked, `<html><head><title>Attention Required! | Cloudflare</title></head><body><h1>Sorry, you have been blocked</h1><h2>You are unable to access shop.example</h2><p>This website is using a security service to protect itself from online attacks. The action you just performed triggered the security solution.</p></body></html>`},
		{"akamai bobcmn denied", Blocked, `<html><body><h1>Access Denied</h1><p>You don't have permission to access this resource.</p><p>Reference&#32;&#35;18&#46;abc</p></body></html>`},
		{"403 body with 200", Blocked, `<html><head><title>403 Forbidden</title></head><body><center><h1>403 Forbidden</h1></center><hr><center>nginx</center></body></html>`},
		{"reddit block", Blocked, `<html><head><title>Blocked</title></head><body><h1>whoa there, pardner!</h1><p>Your request has been blocked due to a network policy.</p><p>Try logging in or creating an account here to get back to browsing.</p></body></html>`},
		{"rate 200", RateLimited, `<html><head><title>Too Many Requests</title></head><body><h1>Too Many Requests</h1><p>Please slow down.</p></body></html>`},
		{"rate github", RateLimited, `<html><head><title>Rate limit &middot; GitHub</title></head><body><h1>Whoa there!</h1><p>You have exceeded a secondary rate limit.</p><p>Please wait a few minutes before you try again</p></body></html>`},
		{"429 nginx", RateLimited, `<html><head><title>429 Too Many Requests</title></head><body><center><h1>429 Too Many Requests</h1></center></body></html>`},
		// consent
		{"yahoo de", ConsentWall, `<html><head><title>Yahoo ist Teil der Yahoo Markenfamilie</title></head><body><h1>Yahoo ist Teil der Yahoo Markenfamilie</h1><p>Wenn Sie unsere Websites und Apps nutzen, verwenden wir Cookies. Wenn Sie auf „Alle akzeptieren“ klicken, speichern wir und unsere Partner Informationen auf einem Gerät.</p><button>Alle akzeptieren</button><button>Alle ablehnen</button></body></html>`},
		{"yahoo en", ConsentWall, `<html><head><title>Yahoo is part of the Yahoo family of brands</title></head><body><h1>Yahoo is part of the Yahoo family of brands</h1><p>When you use our sites and apps, we use cookies to: provide our sites and apps to you, authenticate users, apply security measures, and prevent spam and abuse, and measure your use of our sites and apps.</p><p>If you click 'Accept all', we and our partners, including 238 who are part of the IAB Transparency &amp; Consent Framework, will also store and/or access information on a device.</p><button>Accept all</button><button>Reject all</button><button>Manage privacy settings</button></body></html>`},
		{"google de", ConsentWall, `<title>Bevor Sie zu Google weitergehen</title><h1>Bevor Sie fortfahren</h1><p>Wir verwenden Cookies und Daten, um Google-Dienste bereitzustellen.</p><form><input type=submit value="Alle ablehnen"></form><form><input type=submit value="Alle akzeptieren"></form>`},
		{"google fr", ConsentWall, `<title>Avant d'accéder à Google</title><h1>Avant de continuer</h1><p>Nous utilisons des cookies et des données pour fournir nos services.</p><button>Tout refuser</button><button>Tout accepter</button>`},
		{"spanish", ConsentWall, `<title>Tu privacidad</title><h1>Nos importa tu privacidad</h1><p>Nosotros y nuestros 812 socios almacenamos o accedemos a información en un dispositivo, como cookies.</p><button>Aceptar y continuar</button><button>Rechazar</button>`},
		{"italian", ConsentWall, `<title>Informativa sulla privacy</title><h2>Informativa</h2><p>Noi e i nostri 214 partner utilizziamo cookie o tecnologie simili e memorizziamo informazioni sul dispositivo.</p><button>Accetta e continua</button><button>Rifiuta</button>`},
		{"dutch dpg", ConsentWall, `<title>DPG Media Privacy Gate</title><h1>Je privacy</h1><p>Wij en onze partners gebruiken cookies om informatie op een apparaat op te slaan.</p><button>Akkoord</button><a href=x>Instellen</a>`},
		{"pay or ok", ConsentWall, `<title>Zustimmung oder Abo</title><h1>Mit Werbung weiterlesen oder Pur-Abo abschließen</h1><p>Besuchen Sie uns wie gewohnt mit Werbung und Tracking. Wir und unsere 190 Partner verarbeiten personenbezogene Daten auf Grundlage Ihrer Einwilligung.</p><button>Akzeptieren und weiter</button><button>Jetzt abonnieren</button>`},
		{"a-link accept", ConsentWall, `<title>Your privacy</title><h1>We value your privacy</h1><p>We and our 200 partners store and access information on your device.</p><a class=btn href="/accept">Accept all</a> <a class=btn href="/reject">Reject all</a>`},
		{"role button", ConsentWall, `<title>Cookies on the Courier</title><h1>Cookies on the Courier</h1><p>This site uses cookies and similar technology to personalise content and ads. You can choose which cookies to allow.</p><div role=button>Accept all cookies</div><div role=button>Manage</div>`},
		{"polish", ConsentWall, `<title>Dbamy o Twoją prywatność</title><h1>Szanujemy Twoją prywatność</h1><p>My i nasi partnerzy przechowujemy informacje na urządzeniu.</p><button>Akceptuję i przechodzę do serwisu</button>`},
		{"age gate", Blocked, `<title>Brewery</title><h1>Are you of legal drinking age?</h1><p>You must be of legal drinking age to enter this site.</p><button>Yes</button><button>No</button>`},
		// shells
		{"flutter", JSRequired, `<!DOCTYPE html><html><head><base href="/"><title>tide_app</title></head><body><script src="flutter_bootstrap.js" async></script></body></html>`},
		{"svelte", JSRequired, `<!doctype html><html><head><title>Well</title></head><body data-sveltekit-preload-data="hover"><div style="display: contents"><script>{__sveltekit_x={base:""};}</script></div></body></html>`},
		{"blazor", JSRequired, `<html><head><title>Portal</title></head><body><div id="app"><svg class="loading-progress"></svg><div class="loading-progress-text"></div></div><div id="blazor-error-ui">An unhandled error has occurred. <a href="">Reload</a></div><script src="_framework/blazor.webassembly.js"></script></body></html>`},
		{"remix/loading text", JSRequired, `<title>Explorer</title><div id="app-container"><p>Loading data, please wait...</p></div><script src="/bundle.js"></script>`},
		{"docusaurus-ish", JSRequired, `<title>API</title><div id="__docusaurus"></div><script src="/a.js"></script>`},
		{"redoc", JSRequired, `<title>API docs</title><redoc spec-url="/openapi.json"></redoc><script src="redoc.standalone.js"></script>`},
		{"swagger", JSRequired, `<title>Swagger UI</title><div id="swagger-ui"></div><script src="./swagger-ui-bundle.js"></script>`},
		{"twitter", JSRequired, `<title>X</title><div id="react-root"></div><noscript><h1>JavaScript is not available.</h1><p>We’ve detected that JavaScript is disabled in this browser. Please enable JavaScript or switch to a supported browser to continue using x.com.</p></noscript><script src=main.js></script>`},
		{"mastodon", JSRequired, `<title>Social</title><div class="app-holder" data-props="{}" id="mastodon"><noscript>To use the Mastodon web application, please enable JavaScript.</noscript></div><script src=a.js></script>`},
		{"discourse", JSRequired, `<title>Forum</title><section id="main"></section><noscript>Sorry, this forum needs JavaScript.</noscript><script src=discourse.js></script>`},
		{"turbo frame", JSRequired, `<title>Dash</title><main id="content"><div class="skeleton"></div></main><script type=module src=a.js></script><footer>© 2025 Dash Inc. All rights reserved</footer>`},
		{"custom element", JSRequired, `<title>Viewer</title><doc-viewer src="x.json"></doc-viewer><script type=module src=v.js></script>`},
		{"german shell", JSRequired, `<title>Portal</title><noscript>Bitte aktivieren Sie JavaScript in Ihrem Browser.</noscript><div id=app></div><script src=a.js></script>`},
		{"french shell", JSRequired, `<title>Portail</title><p>Vous devez activer JavaScript pour utiliser cette application.</p><script src=a.js></script>`},
		{"json state shell", JSRequired, `<title>Study F0042</title><header>Registry of trials</header><div id="root"><div class=loader>Loading...</div></div><script>window.__STATE__={"a":"` + strings.Repeat("x ", 3000) + `"}</script><footer>Contact · Terms</footer>`},
		{"loading in main", JSRequired, `<title>Study</title><header>Registry</header><main><p>Loading…</p></main><script src=a.js></script>`},
		// soft 404
		{"es", NotFound, `<title>Página no encontrada - El Correo</title><h1>Error 404</h1><p>La página que buscas no existe o ha sido movida.</p>`},
		{"es2", NotFound, `<title>El Correo</title><h1>No hemos encontrado la página que buscas</h1><p>Puede que se haya eliminado.</p>`},
		{"pt", NotFound, `<title>Página não encontrada</title><h1>Ops! Página não encontrada</h1><p>A página que você procura não existe.</p>`},
		{"it", NotFound, `<title>Pagina non trovata - Il Corriere</title><h1>Pagina non trovata</h1><p>La pagina richiesta non esiste.</p>`},
		{"nl", NotFound, `<title>Pagina niet gevonden</title><h1>Pagina niet gevonden</h1><p>De pagina die u zoekt bestaat niet (meer).</p>`},
		{"pl", NotFound, `<title>Nie znaleziono strony</title><h1>Nie znaleziono strony</h1><p>Strona, której szukasz, nie istnieje.</p>`},
		{"ru", NotFound, `<title>Страница не найдена</title><h1>Страница не найдена</h1><p>Возможно, она была удалена или перемещена.</p>`},
		{"ja", NotFound, `<title>ページが見つかりません</title><h1>ページが見つかりません</h1><p>お探しのページは存在しないか、移動された可能性があります。</p>`},
		{"zh", NotFound, `<title>页面不存在</title><h1>404</h1><p>抱歉，您访问的页面不存在。</p>`},
		{"zh2", NotFound, `<title>404 - 找不到页面</title><h1>找不到页面</h1><p>您要访问的页面已被删除。</p>`},
		{"ko", NotFound, `<title>페이지를 찾을 수 없습니다</title><h1>페이지를 찾을 수 없습니다</h1><p>요청하신 페이지가 삭제되었습니다.</p>`},
		{"sv", NotFound, `<title>Sidan kunde inte hittas</title><h1>Sidan kunde inte hittas</h1><p>Sidan du söker finns inte.</p>`},
		{"da", NotFound, `<title>Siden blev ikke fundet</title><h1>Siden findes ikke</h1><p>Siden, du leder efter, findes ikke længere.</p>`},
		{"no", NotFound, `<title>Siden finnes ikke</title><h1>Fant ikke siden</h1><p>Siden du leter etter finnes ikke.</p>`},
		{"fi", NotFound, `<title>Sivua ei löytynyt</title><h1>Sivua ei löytynyt</h1><p>Hakemaasi sivua ei ole.</p>`},
		{"tr", NotFound, `<title>Sayfa bulunamadı</title><h1>Sayfa bulunamadı</h1><p>Aradığınız sayfa mevcut değil.</p>`},
		{"cs", NotFound, `<title>Stránka nenalezena</title><h1>Stránka nenalezena</h1><p>Hledaná stránka neexistuje.</p>`},
		{"hu", NotFound, `<title>Az oldal nem található</title><h1>Az oldal nem található</h1><p>A keresett oldal nem létezik.</p>`},
		{"uk", NotFound, `<title>Сторінку не знайдено</title><h1>Сторінку не знайдено</h1><p>Сторінка не існує.</p>`},
		{"ar", NotFound, `<title>الصفحة غير موجودة</title><h1>الصفحة غير موجودة</h1><p>عذراً، الصفحة التي تبحث عنها غير موجودة.</p>`},
		{"de2", NotFound, `<title>Fehler 404 – Kurier</title><h1>Diese Seite gibt es nicht (mehr)</h1><p>Die angeforderte Seite wurde nicht gefunden.</p>`},
		{"de3", NotFound, `<title>Kurier</title><h1>Die Seite konnte nicht gefunden werden</h1><p>Der Artikel wurde gelöscht oder verschoben.</p>`},
		{"fr2", NotFound, `<title>Erreur 404</title><h1>Cette page n’existe pas</h1><p>La page demandée est introuvable.</p>`},
		{"fr3", NotFound, `<title>Le Courrier</title><h1>Oups, la page que vous cherchez est introuvable</h1><p>Elle a peut-être été supprimée.</p>`},
		{"wix", NotFound, `<title>Page Not Found | Bakery</title><h1>There’s Nothing Here...</h1><p>We can’t find the page you’re looking for. Check the URL, or head back home.</p>`},
		{"squarespace", NotFound, `<title>404 - Not found</title><p>We couldn't find the page you were looking for. This is either because:</p><ul><li>There is an error in the URL entered into your web browser.</li></ul>`},
		{"hmm", NotFound, `<title>Hmm, that page is gone</title><h1>We looked everywhere, but this page is gone.</h1><p>The page you requested has been removed.</p>`},
		{"410 text", NotFound, `<title>410 Gone</title><h1>Gone</h1><p>The requested resource is no longer available on this server.</p>`},
		{"article removed", NotFound, `<title>Courier</title><h1>This article has been removed</h1><p>The article you are trying to read is no longer available.</p>`},
		{"product", NotFound, `<title>Shop</title><h1>This product is no longer available</h1><p>It was removed from our range.</p>`},
		{"user suspended", NotFound, `<title>Profile</title><h1>This account doesn’t exist</h1><p>Try searching for another.</p>`},
		{"video", NotFound, `<title>Video unavailable</title><h1>Video unavailable</h1><p>This video is no longer available because the account was closed.</p>`},
		{"iis", NotFound, `<title>404 - File or directory not found.</title><h1>Server Error</h1><h2>404 - File or directory not found.</h2><h3>The resource you are looking for might have been removed, had its name changed, or is temporarily unavailable.</h3>`},
		{"apache", NotFound, `<html><head><title>404 Not Found</title></head><body><h1>Not Found</h1><p>The requested URL was not found on this server.</p></body></html>`},
		{"s3", NotFound, `<html><head><title>404 Not Found</title></head><body><h1>404 Not Found</h1><ul><li>Code: NoSuchKey</li><li>Message: The specified key does not exist.</li></ul></body></html>`},
		{"tomcat", NotFound, `<html><head><title>HTTP Status 404 – Not Found</title></head><body><h1>HTTP Status 404 – Not Found</h1><p><b>Description</b> The origin server did not find a current representation for the target resource.</p></body></html>`},
		{"github pages", NotFound, `<title>Site not found &middot; GitHub Pages</title><h1>404</h1><p><strong>There isn't a GitHub Pages site here.</strong></p>`},
		{"heroku", NotFound, `<title>No such app</title><h1>No such app</h1><p>There is no app configured at that hostname.</p>`},
		{"search no results", NotFound, `<title>Not Found | Blog</title><h1>Nothing Found</h1><p>It seems we can't find what you're looking for. Perhaps searching can help.</p>`},
		{"parked ru", NotFound, `<title>Домен продаётся</title><h1>halden.example</h1><p>Этот домен продаётся.</p>`},
		{"parked sedo", NotFound, `<title>halden.example</title><p>The domain halden.example may be for sale by its owner! More details</p>`},
		{"suspended hosting", Failed, `<title>Account Suspended</title><h1>Account Suspended</h1><p>This Account has been suspended. Contact your hosting provider for more information.</p>`},
		{"default nginx", NotFound, `<title>Welcome to nginx!</title><h1>Welcome to nginx!</h1><p>If you see this page, the nginx web server is successfully installed and working. Further configuration is required.</p>`},
		{"default apache", NotFound, `<title>Apache2 Ubuntu Default Page: It works</title><h1>It works!</h1><p>This is the default welcome page used to test the correct operation of the Apache2 server after installation on Ubuntu systems.</p>`},
		// faults
		{"db error", Failed, `<title>Database Error</title><h1>Error establishing a database connection</h1>`},
		{"wp critical", Failed, `<title>WordPress › Error</title><p>There has been a critical error on this website.</p>`},
		{"rails", Failed, `<title>We're sorry, but something went wrong (500)</title><h1>We're sorry, but something went wrong.</h1><p>If you are the application owner check the logs for more information.</p>`},
		{"aspnet", Failed, `<title>Runtime Error</title><h1>Server Error in '/' Application.</h1><h2>Runtime Error</h2><p>Description: An application error occurred on the server.</p>`},
		{"de wartung", Failed, `<title>Wartungsarbeiten</title><h1>Wartungsarbeiten</h1><p>Wir sind bald wieder für Sie da.</p>`},
		{"fr maintenance", Failed, `<title>Site en maintenance</title><h1>Site en maintenance</h1><p>Nous revenons bientôt.</p>`},
		{"504 cf", Failed, `<title>shop.example | 504: Gateway time-out</title><h1>Gateway time-out Error code 504</h1>`},
		{"522", Failed, `<title>shop.example | 522: Connection timed out</title><h1>Connection timed out Error code 522</h1><p>What happened? The initial connection between Cloudflare's network and the origin web server timed out.</p>`},
		// login
		{"fb login", Blocked, `<title>Log into Facebook</title><div>You must log in to continue.</div><form><input name=email><input type=password><button>Log In</button></form>`},
		{"institution", Blocked, `<title>Sign in through your institution</title><h1>Access through your institution</h1><p>Please log in to access this content.</p><form><input type=text></form>`},
		{"de login", Blocked, `<title>Anmeldung</title><h1>Anmelden</h1><form><input name=u><input type=password><button>Anmelden</button></form>`},
		{"jp login", Blocked, `<title>ログイン</title><h1>ログイン</h1><form><input name=u><input type=password><button>ログイン</button></form>`},
		{"ru login", Blocked, `<title>Вход</title><h1>Вход в систему</h1><form><input name=u><input type=password><button>Войти</button></form>`},
		{"create account to read", Blocked, `<title>Answer</title><h1>Create a free account to continue reading</h1><p>Sign up to keep reading this answer.</p><form><input type=email></form>`},
		// paywalls without teaser
		{"wall only de", Blocked, `<title>Artikel</title><script type="application/ld+json">{"@type":"NewsArticle","isAccessibleForFree":false}</script><div class="paywall">Jetzt weiterlesen mit Kurier Plus</div>`},
	} {
		v := judgeBody("https://a.example/x/7", c.body)
		if v.unavailable == nil || v.unavailable.Outcome != c.want || v.unavailable.Hint == "" {
			t.Errorf("%s: %v %v %q, want %s", c.name, v.unavailable, v.flags, v.refresh, c.want)
		}
	}
}

// TestPaywallsOfManyKinds leave a teaser, which is flagged and not refused.
func TestPaywallsOfManyKinds(t *testing.T) {
	for name, body := range map[string]string{
		"ns class":   `<article><p>` + prose(3) + `</p></article><div class="tp-container-inner piano-offer"><h3>Subscribe now to keep reading</h3></div>`,
		"metered":    prose(3) + `<div id="gateway-content"><p>You have reached your limit of free articles. Subscribe to continue.</p></div>`,
		"substack":   `<article>` + prose(2) + `<div class="paywall-title">This post is for paid subscribers</div></article>`,
		"substack 2": `<article>` + prose(2) + `<div class="paywall"><h2>Keep reading with a 7-day free trial</h2><p>Subscribe to Harbour Notes to keep reading this post and get 7 days of free access.</p></div></article>`,
		"medium":     `<article>` + prose(2) + `</article><div><h2>Create an account to read the full story.</h2><p>The author made this story available to Medium members only.</p></div>`,
		"de plus":    `<article>` + prose(2) + `</article><div class="paywall-container"><h2>Weiterlesen mit Kurier+</h2><p>Jetzt Abo abschließen</p></div>`,
		"fr":         `<article>` + prose(2) + `</article><div class="article__paywall"><p>Cet article est réservé aux abonnés. Il vous reste 70% à lire.</p></div>`,
		"fr2":        `<article>` + prose(2) + `</article><section class="paywall"><p>Il vous reste 65.5% de cet article à lire. La suite est réservée aux abonnés.</p></section>`,
		"es":         `<article>` + prose(2) + `</article><section class="paywall"><p>Suscríbete para seguir leyendo</p></section>`,
		"it":         `<article>` + prose(2) + `</article><section class="paywall"><p>Contenuto riservato agli abbonati. Abbonati per continuare a leggere.</p></section>`,
		"nl":         `<article>` + prose(2) + `</article><section class="premium-content-wall"><p>Dit artikel is alleen voor abonnees. Lees verder met een abonnement.</p></section>`,
		"ld list":    `<script type="application/ld+json">[{"@type":"WebSite"},{"@type":"ReportageNewsArticle","isAccessibleForFree":"false","hasPart":[{"@type":"WebPageElement","isAccessibleForFree":"False","cssSelector":".paywall"}]}]</script>` + prose(3),
		"ld comment": `<script type="application/ld+json">/*<![CDATA[*/{"@type":"NewsArticle","isAccessibleForFree":false}/*]]>*/</script>` + prose(3),
		"ld broken":  `<script type="application/ld+json">{"@type":"NewsArticle","description":"a` + "\n" + `b","isAccessibleForFree":false}</script>` + prose(3),
		"ld upper":   `<script type="APPLICATION/LD+JSON">{"@type":"NewsArticle","isAccessibleForFree":false}</script>` + prose(3),
		"microdata":  `<article itemscope itemtype="https://schema.org/NewsArticle"><link itemprop="isAccessibleForFree" href="https://schema.org/False">` + prose(3) + `</article>`,
		"cre":        `<article>` + prose(3) + `</article><div class="regwall"><p>Register for free to continue reading</p></div>`,
		"class word": `<article>` + prose(3) + `</article><div data-testid="paywall-prompt"><p>Already a subscriber? Log in</p></div>`,
		"sub banner": `<article>` + prose(3) + `</article><div class="subscription-prompt"><p>This story is for subscribers. Subscribe to read the full article.</p></div>`,
	} {
		if v := judgeBody("https://a.example/x", body); v.unavailable != nil || len(v.flags) != 1 || v.flags[0] != FlagPaywall {
			t.Errorf("%s: %v %v", name, v.unavailable, v.flags)
		}
	}
}

// TestNoRefresh are refreshes that a browser that runs scripts does not follow.
func TestNoRefresh(t *testing.T) {
	for name, body := range map[string]string{
		"in noscript":  `<title>A</title><noscript><meta http-equiv="refresh" content="0; url=/nojs"></noscript>` + prose(3) + `<script src=a.js></script>`,
		"in comment":   `<!-- <meta http-equiv="refresh" content="0; url=/x"> -->` + prose(3),
		"in template":  `<template><meta http-equiv="refresh" content="0; url=/x"></template>` + prose(3),
		"in script":    `<script>document.write('<meta http-equiv="refresh" content="0; url=/x">')</script>` + prose(3),
		"in textarea":  `<textarea><meta http-equiv="refresh" content="0; url=/x"></textarea>` + prose(3),
		"in svg title": `<svg><title><meta http-equiv="refresh" content="0; url=/x"></title></svg>` + prose(3),
	} {
		if v := judgeBody("https://a.example/docs/", body); v.refresh != "" || v.unavailable != nil {
			t.Errorf("%s: %q %v", name, v.refresh, v.unavailable)
		}
	}
}

// TestPagesAboutStandIns are read: pages about limits, errors, captchas, cookies and the like, short ones too.
func TestPagesAboutStandIns(t *testing.T) {
	for name, body := range map[string]string{
		"rfc 429":               `<title>429 Too Many Requests - HTTP | MDN</title><h1>429 Too Many Requests</h1><p>The HTTP 429 Too Many Requests client error response status code indicates the client has sent too many requests in a given amount of time. This mechanism of asking the client to slow down the rate of requests is commonly called "rate limiting".</p><p>A Retry-After header may be included to this response to indicate how long a client should wait before making the request again.</p>` + prose(3),
		"mdn 404":               `<title>404 Not Found - HTTP | MDN</title><h1>404 Not Found</h1><p>The HTTP 404 Not Found client error response status code indicates that the server cannot find the requested resource. Links that lead to a 404 page are often called broken or dead links and can be subject to link rot.</p><p>A 404 status code only indicates that the resource is missing without indicating if this is temporary or permanent. If a resource is permanently removed, servers should send the 410 Gone status instead.</p>` + prose(4),
		"mdn 404 short":         `<title>404 Not Found - HTTP | MDN</title><main><article><h1>404 Not Found</h1><p>The HTTP 404 Not Found client error response status code indicates that the server cannot find the requested resource. Links that lead to a 404 page are often called broken or dead links and can be subject to link rot.</p></article></main>`,
		"mdn 503":               `<title>503 Service Unavailable - HTTP | MDN</title><main><article><h1>503 Service Unavailable</h1><p>The HTTP 503 Service Unavailable server error response status code indicates that the server is not ready to handle the request.</p></article></main>`,
		"mdn 403":               `<title>403 Forbidden - HTTP | MDN</title><main><article><h1>403 Forbidden</h1><p>The HTTP 403 Forbidden client error response status code indicates that the server understood the request but refused to process it.</p></article></main>`,
		"forbidden":             `<title>Forbidden City - Travel</title><h1>Forbidden City</h1><p>The palace in Beijing is open from Tuesday to Sunday.</p>`,
		"access denied":         `<title>Access Denied (1979 film)</title><h1>Access Denied</h1><p>Access Denied is a film of 1979 about a harbour. It was shot in two weeks.</p>`,
		"so 404":                `<title>react router - Why do I get 'Page not found' on refresh? - Stack Overflow</title><h1>Why do I get 'Page not found' on refresh?</h1><p>I have a single page app. When I refresh, nginx says 404 page not found. The page does not exist on the server.</p><p>You have to rewrite all paths to index.html with try_files.</p>`,
		"so js":                 `<title>How do I fix "You need to enable JavaScript to run this app"?</title><h1>How do I fix "You need to enable JavaScript to run this app"?</h1><p>I get this text in place of my app when I call the API. Set the proxy in package.json.</p><script src=a.js></script>`,
		"so captcha":            `<title>python - How to handle "verify you are human" - Stack Overflow</title><h1>How to handle "verify you are human" in Selenium?</h1><div><p>My script opens the site and it says "checking your browser". What can I do?</p><p>Ask the site for an API; the check is there to stop you.</p></div>`,
		"changelog":             `<title>Changelog</title><h1>1.2.3</h1><ul><li>Fixed: page not found on deep links</li><li>Fixed: too many requests to the tile server</li></ul>`,
		"press":                 `<title>Statement</title><p>The site was down for maintenance on 3 May. Access was restored on 4 May.</p>`,
		"login docs":            `<title>Log in | Docs</title><main><h1>Log in</h1><p>To log in, call <code>POST /login</code> with your password. The answer has a token. Please log in again after an hour.</p></main>`,
		"short js note":         `<title>Clock</title><h1>How the clock was made</h1><p>It is 41 lines of JavaScript. JavaScript is required to see it tick; the text works without.</p><p>The hands are drawn with a canvas, once a second, from the time of the machine. There is no library.</p><script src=clock.js></script>`,
		"recipe":                `<title>Cookies</title><h1>Oat cookies</h1><p>We use cookies as a dessert here. Mix 200 g of oats with butter and bake for 12 minutes.</p><button>Accept all cookies</button>`,
		"short news + banner":   `<title>Lock opens</title><h1>Lock opens</h1><p>The lock opened on Monday after two years of works, the harbour office said.</p><div class=cookie><p>We use cookies to personalise ads.</p><button>Accept all</button><button>Reject all</button></div>`,
		"subscribe newsletter":  `<title>Tide</title><article>` + prose(4) + `</article><div class="newsletter"><h3>Subscribe to our newsletter</h3></div>`,
		"paywall css in page":   `<title>Tide</title><style>.paywall{}</style><link href="/css/paywall.css">` + prose(12),
		"domain article":        `<title>How to sell a domain</title><p>Put up a page that says "this domain is for sale" and wait.</p>`,
		"bot article short":     `<title>Bots</title><h1>What is a bot?</h1><p>A bot is an automated program. Some bots solve a captcha for you. Too many requests from your bot and you will be blocked; wait and try again.</p>`,
		"pdf viewer":            `<title>Annual report 2019.pdf</title><embed src="a.pdf" type="application/pdf"><script src=a.js></script>`,
		"gone poem":             `<title>Gone</title><h1>Gone</h1><p>The ship is gone, the tide is out, the page of the book is turned.</p>`,
		"welcome to nginx docs": `<title>nginx documentation</title><h1>nginx documentation</h1><p>Installing nginx. After that you see the page "Welcome to nginx!".</p>` + prose(2),
		"age":                   `<title>Legal drinking age</title><h1>Legal drinking age by country</h1><p>You must be 18 in most countries of Europe.</p>`,
		"rate limiter readme":   `<title>GitHub - halden/ratelimit: Too many requests middleware</title><h1>ratelimit</h1><p>Answers 429 Too Many Requests when a client has exceeded a rate limit. Install with npm. Wait until the window ends.</p>`,
		"nojs banner":           `<title>Wiki: Tide mill</title><noscript><div>JavaScript is disabled. Please enable JavaScript.</div></noscript><div id=app><p>A tide mill is a water mill driven by the rise and fall of the tide.</p></div><script src=a.js></script>`,
		"maintenance article":   `<title>Scheduled maintenance - Wikipedia</title><h1>Scheduled maintenance</h1><p>Scheduled maintenance is work that is done at planned times, before a machine fails. It is common for trains and lifts.</p>`,
		"error occurred":        `<title>An error occurred in the count | Courier</title><h1>An error occurred in the count</h1><p>The votes of Halden are counted again.</p>`,
		"not available":         `<title>iPhone 15 not available in your region? Here is why | Gadgets</title><h1>iPhone 15 not available in your region? Here is why</h1>` + prose(6),
		"title in a picture":    `<title>Tide</title><svg><title/><style/></svg><svg viewBox="0 0 1 1"/>` + prose(4) + `<script src=a.js></script>`,
		"app with a note":       `<title>Tide</title><svg><title>Menu</title></svg><noscript>JavaScript is disabled.</noscript><div id=app>` + prose(2) + `</div><script src=a.js></script>`,
	} {
		if v := judgeBody("https://a.example/x/7", body); v.unavailable != nil || v.refresh != "" || v.flags != nil {
			t.Errorf("%s: %v %v %q", name, v.unavailable, v.flags, v.refresh)
		}
	}
}
