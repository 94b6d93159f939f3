//! Function words of the languages that have a stemmer: articles, pronouns, prepositions, conjunctions, auxiliary verbs and a few adverbs, in
//! lower case. They are the most common words of any prose; no list is complete.

/// The languages by their English names, as the stemmers are called, ascending, with their words. English is not among them: its words are
/// those of [`StopWords::english`](super::StopWords::english).
pub(super) static LISTS: [(&str, &str); 34] = [
    (
        "arabic",
        "في من إلى على عن مع هذا هذه ذلك تلك هو هي هم هن أنا نحن أنت أنتم التي الذي الذين ما لا لم لن إن أن كان كانت كل بعض
         أو ثم حتى إذا قد بين عند بعد قبل لكن غير كما منذ حيث أي عليه فيه به له لها فقط أيضا",
    ),
    (
        "armenian",
        "և եւ է են էր էին որ որը որոնք այս այդ այն իր իրենց նա նրա նրանք ես դու մենք դուք մեր ձեր ինչ ով թե եթե երբ որտեղ ինչպես
         բայց կամ նաև համար մեջ վրա հետ մոտ մինչև առանց ոչ չէ էլ միայն շատ բոլոր ամեն մի մեկ",
    ),
    (
        "basque",
        "eta edo baina ez da dira zen ziren du dute zuen zuten dut duzu dugu naiz zara gara hau hori hura hauek horiek haiek bat
         batzuk ni zu gu zuek bere nire zure gure zer nor non noiz nola zergatik ere baita oso guztiak beste gabe arte bezala
         izan",
    ),
    (
        "catalan",
        "el la els les un una uns unes de del dels a al als en per amb sense sobre entre fins des i o ni però que qui com quan on
         perquè si no més molt tot tots aquest aquesta aquests això ell ella ells jo tu nosaltres vosaltres em et es se ens li
         lo seu seva és són era ha han hi també ja",
    ),
    (
        "czech",
        "a i o u v ve s se z ze k ke na do od po pro při před za nad pod mezi bez že ale nebo ani který která které kteří co kdo
         jak kde když jestli protože tak také už jen ještě není je jsou byl byla bylo byli být bude jsem já ty on ona ono my vy
         oni jeho její jejich ten ta to tento tato toto si by",
    ),
    (
        "danish",
        "og i jeg det at en et den til er som på de med han af for ikke der var mig sig men har om vi min havde ham hun nu over da
         fra du ud sin dem os op man hans hvor eller hvad skal selv her alle vil blev kunne ind når være dog noget ville jo deres
         efter ned skulle denne end dette mit også under have dig anden hende mine alt meget sit",
    ),
    (
        "dutch",
        "de het een en van in op te dat die dit deze is was zijn waren ik je jij u hij zij ze wij we jullie er niet met voor aan
         om als maar ook dan naar door over bij uit tot of want omdat hoe wat wie waar wanneer mijn haar hun ons onze geen meer
         nog al wel zo heeft hebben had wordt worden kan zou zal moet",
    ),
    (
        "esperanto",
        "la kaj de al en el ne estas estis mi vi li ŝi ĝi ni ili oni si tio tiu tiuj kio kiu kiuj kie kiam kiel kial ĉi ĉu ĉiu ĉiuj
         por per kun sen sur sub super inter antaŭ post dum ĝis laŭ pri pro sed aŭ se ke ĉar ankaŭ jam nur tre pli plej mia via
         lia nia ilia",
    ),
    (
        "estonian",
        "ja ning või aga kuid et kui sest ka ei on oli olid olen oled oleme olete ole mina ma sina sa tema ta meie me teie te
         nemad nad see need selle seda mis kes kus millal kuidas miks oma mu su üks kõik siis veel juba ainult väga nii nagu
         enne pärast ilma kuni üle all peal",
    ),
    (
        "finnish",
        "ja tai mutta että kun jos koska kuin niin myös ei en et emme ette eivät on oli ovat olivat olen olet olemme olla ollut
         minä sinä hän me te he se ne tämä tuo nämä nuo joka jotka mikä mitä kuka missä mihin miten miksi minun sinun hänen
         meidän heidän sen niiden kanssa ilman ennen jälkeen yli alla vain vielä jo hyvin kaikki",
    ),
    (
        "french",
        "le la les un une des du de à au aux en dans sur sous par pour avec sans entre chez vers et ou mais ni car donc que qui
         quoi dont où si comme quand je tu il elle on nous vous ils elles me te se lui leur leurs mon ma mes ton ta tes son sa
         ses notre nos votre vos ce cet cette ces ne pas plus est sont était être a ont avait avoir été y",
    ),
    (
        "german",
        "der die das den dem des ein eine einen einem einer eines und oder aber denn sondern doch dass daß ob wenn weil als wie
         ich du er sie es wir ihr mich mir dich dir ihn ihm uns euch ihnen mein dein sein unser euer sich nicht kein keine in
         im an am auf aus bei beim mit nach von vom vor zu zum zur für durch über unter um gegen ohne bis ist sind war waren
         wird werden wurde hat haben hatte kann auch noch nur schon so sehr dieser diese dieses",
    ),
    (
        "greek",
        "ο η το οι τα του της των τον την τους τις ένας μια ένα και ή αλλά να θα δεν μη μην στο στη στην στον στους στις στα από
         για με σε ως κατά μετά πριν που πως πώς ότι όταν αν γιατί επειδή εγώ εσύ αυτός αυτή αυτό εμείς εσείς αυτοί μου σου
         μας σας είναι ήταν έχει έχουν είχε όπως πολύ πιο όλα κάθε",
    ),
    (
        "hindi",
        "का की के को में से पर ने है हैं था थी थे हो होता होती होते और या लेकिन कि जो तो ही भी नहीं न यह ये वह वे इस उस इन उन मैं
         हम तुम आप मेरा हमारा आपका उसका इसका अपना अपने कर करने किया गया जा रहा रही रहे एक क्या कौन कब कहाँ कैसे साथ लिए तक
         जब अगर सब कुछ बहुत",
    ),
    (
        "hungarian",
        "a az egy és vagy de hogy ha mert mint nem is csak már még meg el ki be fel le én te ő mi ti ők ez azt ezt ennek annak
         akkor amikor ahol aki ami amely mely van vannak volt voltak lesz lehet kell sem se nagyon minden alatt után előtt között
         szerint nélkül át ott itt így úgy",
    ),
    (
        "indonesian",
        "yang dan di ke dari untuk dengan pada dalam oleh tentang sebagai adalah ialah ini itu tersebut saya aku kamu anda dia ia
         kami kita mereka tidak bukan belum sudah telah akan sedang bisa dapat harus ada atau tetapi tapi karena jika kalau
         bahwa agar seperti juga lagi hanya saja sangat lebih semua setiap para apa siapa kapan",
    ),
    (
        "irish",
        "an na agus nó ach a ag ar as de do faoi go i in le ó roimh thar trí um is ní níl tá bhí bhfuil mé tú sé sí muid sibh siad
         mo ár bhur seo sin siúd cad cé conas nuair má mar níos gach eile freisin féin gan idir chun nach",
    ),
    (
        "italian",
        "il lo la i gli le un uno una di del dello della dei degli delle a al allo alla ai agli alle da dal dalla in nel nella nei
         su sul sulla con per tra fra e ed o ma se che chi cui come quando dove perché non più anche io tu lui lei noi voi loro
         mi ti si ci vi mio suo sua suoi nostro questo questa questi quello è sono era erano ha hanno aveva essere stato",
    ),
    (
        "lithuanian",
        "ir ar arba bet kad jei jeigu nes kaip kai kur kas kuris kuri kurie o ne nėra yra buvo bus būti aš tu jis ji mes jūs jie jos
         mano tavo savo jo mūsų jų šis ši tas ta tai šie tie į iš su be nuo iki per prie po už apie dėl tarp prieš taip pat jau dar
         tik labai visi",
    ),
    (
        "nepali",
        "र को का की मा ले लाई बाट सँग देखि सम्म लागि छ छन् थियो थिए हो हुन् हुन्छ भएको गरेको गर्न गर्ने यो यी त्यो ती म हामी तिमी
         तपाईं उनी ऊ उहाँ मेरो हाम्रो उसको आफ्नो के कहाँ कहिले किन कसरी तर वा पनि नै न भने जुन जो सबै धेरै एक अनि यदि पछि",
    ),
    (
        "norwegian",
        "og i jeg det at en et den til er som på de med han av for ikke ikkje der var meg seg men har om vi min hadde ham hun nå
         over da fra du ut sin dem oss opp man hans hvor eller hva skal selv her alle vil ble kunne inn når være kom noe ville deres
         etter ned skulle denne enn dette også under ha deg hennes mye",
    ),
    (
        "persian",
        "و در به از که را با این آن برای است بود شد می تا بر هم یا اما اگر چون نه نیست هست باشد شده کرد کرده کند من تو او ما شما آنها
         ایشان خود هر همه چه کجا کی چرا چگونه یک دو پس نیز بین زیر روی پیش بعد قبل فقط بسیار دیگر",
    ),
    (
        "polish",
        "i a o u w we z ze na do od po dla przy przed za nad pod między bez przez oraz lub albo ale że żeby jeśli gdy kiedy gdzie
         jak co kto który która które którzy nie tak też także już tylko jeszcze się jest są był była było byli być będzie ma
         mają ja ty on ona ono my wy oni jego jej ich mój twój swój ten ta to tego tej tych by bo",
    ),
    (
        "portuguese",
        "o a os as um uma uns umas de do da dos das em no na nos nas por pelo pela para com sem sob sobre entre até e ou mas nem
         que quem qual como quando onde porque se não mais também eu tu ele ela nós vós eles elas me te lhe meu minha seu sua
         seus suas nosso este esta isto esse essa isso aquele é são era foi ser está estão tem têm ao à já muito",
    ),
    (
        "romanian",
        "un o unei unui și sau dar iar nici de la în din pe cu fără pentru prin spre despre între sub până după înainte că să dacă când
         unde cum cine ce care nu mai foarte eu tu el ea noi voi ei ele mă te se îl îi le lui lor meu tău său acest această acesta
         aceste acel este sunt era erau a au fi fost va ca tot toate",
    ),
    (
        "russian",
        "и в во не что он на я с со как а то все она так его но да ты к у же вы за бы по только ее её мне было вот от меня еще ещё
         нет о из ему теперь когда даже ну ли если уже или ни быть был была были до вас вам ведь там потом себя ей они тут где
         есть надо для мы тебя их чем без чтобы под кто этот это эта эти того этого при об который которые",
    ),
    (
        "serbian",
        "и у на са се је да не су за од до по из о али или као што који која које ли би бити био била било ја ти он она оно ми ви они
         его њен њихов мој твој свој овај ова ово тај та то кад када где како ако јер само још већ i u na sa se je da ne su za od
         do po iz o ali ili kao što koji koja koje li bi biti bio bila bilo ja ti on ona ono mi vi oni moj tvoj svoj ovaj ova ovo
         taj ta to kad kada gde kako ako jer samo još već",
    ),
    (
        "sesotho",
        "ke le ba e se ho ka ha hore empa kapa hape ena eo tsa ya wa sa la o a mo bona rona lona yena nna hona moo teng feela hobane
         joalo joang mang eng kae neng bohle tsohle pele ea oa re me tse",
    ),
    (
        "spanish",
        "el la los las un una unos unas de del a al en por para con sin sobre entre hasta desde y e o u pero ni que quien cual
         como cuando donde porque si sí no más muy también ya yo tú él ella nosotros vosotros ellos ellas me te se le les lo mi tu
         su sus nuestro este esta esto estos estas ese esa eso aquel es son era fue ser está están ha han había todo todos",
    ),
    (
        "swedish",
        "och i jag det att en ett den till är som på de med han av för inte icke där var mig sig men har om vi min hade honom hon nu
         över då från du ut sin dem oss upp man hans hur eller vad ska skall själv här alla vill blev kunde in när vara något
         skulle denna än detta också under ha dig hennes mycket efter mellan utan mot",
    ),
    (
        "tamil",
        "ஒரு என்று மற்றும் இந்த அந்த இது அது என்ன எந்த யார் எங்கே எப்போது எப்படி ஏன் நான் நீ நாம் நாங்கள் நீங்கள் அவன் அவள் அவர் அவர்கள்
         அவை இவை தன் என் உன் நமது ஆனால் அல்லது இல்லை உள்ள உள்ளது இருந்து வரை பற்றி போல மேல் கீழ் முன் பின் மட்டும் கூட மிகவும் சில பல
         எல்லா",
    ),
    (
        "turkish",
        "ve veya ya da de ki ile için gibi kadar göre sonra önce ama fakat ancak çünkü eğer ise bir bu şu o bunlar şunlar onlar ben sen
         biz siz beni seni onu bana sana ona benim senin onun bizim sizin ne kim nerede nasıl neden niçin mi mı mu mü değil var
         yok daha en çok her hiç bütün tüm olarak olan oldu",
    ),
    (
        "ukrainian",
        "і й та в у не що він на я з із зі як а то все вона так його але ти до же ви за би по тільки її мені було від мене ще немає
         про ні бути був була були коли навіть якщо вже або там потім себе їй вони тут де є для ми тебе їх чим без щоб під хто цей
         це ця ці того цього при який яка які",
    ),
    (
        "yiddish",
        "דער די דאס דאָס דעם א אַ אן אַן און אדער אָדער אבער אָבער אז אַז ווי ווען וואס וואָס ווער וואו פאר פון צו אין אויף מיט ביי נאך
         נאָך איבער אונטער איז זענען בין ביסט האט האָט האבן האָבן וועט זיך איך דו ער זי עס מיר איר נישט ניט אויך נאר נאָר שוין דא דאָ",
    ),
];
